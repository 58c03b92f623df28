import { Paper, type PaperProps } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Panel.module.css';

/** A surface that holds one thing. */
export const Panel = ({ children, ...props }: PaperProps & { readonly children: ReactNode }) => (
  <Paper className={classes.panel} radius="lg" {...props}>
    {children}
  </Paper>
);
