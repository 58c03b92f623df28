import { Paper, type PaperProps } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Panel.module.css';

/** A surface that holds one thing. */
export const Panel = ({
  children,
  className = '',
  ...props
}: PaperProps & { readonly children: ReactNode }) => (
  <Paper className={`${classes.panel} ${className}`} radius="lg" {...props}>
    {children}
  </Paper>
);
