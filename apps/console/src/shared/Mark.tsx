import type { ReactNode } from 'react';
import classes from './Mark.module.css';

export type MarkTone = 'plain' | 'accent' | 'good' | 'warn' | 'bad';

/** A word that says how something stands, with a dot so that colour is not all there is. */
export const Mark = ({
  tone = 'plain',
  children,
}: {
  readonly tone?: MarkTone;
  readonly children: ReactNode;
}) => (
  <span className={classes.mark} data-tone={tone}>
    {children}
  </span>
);
