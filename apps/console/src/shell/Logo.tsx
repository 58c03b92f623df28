import mark from './mark.svg';
import classes from './Shell.module.css';

const NAME = 'Tollgate';

export const Logo = () => (
  <span className={classes.logo}>
    <img src={mark} alt="" width={26} height={26} />
    {NAME}
  </span>
);
