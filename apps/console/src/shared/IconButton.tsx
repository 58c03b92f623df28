import type { ComponentProps } from 'react';
import classes from './IconButton.module.css';

/** A button with an icon alone. It is an element and nothing else, as every row of a list has one. */
export const IconButton = ({ className, ...props }: ComponentProps<'button'>) => (
  <button type="button" className={`${classes.button} ${className ?? ''}`} {...props} />
);
