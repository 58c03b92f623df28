import classes from './CodeBlock.module.css';
import { Copy } from './Copy.tsx';

/** Code to copy; `what` names it for those who cannot see it. */
export const CodeBlock = ({ code, what }: { readonly code: string; readonly what: string }) => (
  <div className={classes.block}>
    <pre tabIndex={0}>{code}</pre>
    <div>
      <Copy text={code} what={what} />
    </div>
  </div>
);
