import type { ReactNode } from 'react';
import classes from './Figures.module.css';

/** Names and what they are, one line each. */
export const Figures = ({ children }: { readonly children: ReactNode }) => (
  <dl className={classes.figures}>{children}</dl>
);

export const Figure = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

interface TileProps {
  readonly name: string;
  readonly children: ReactNode;
  readonly about?: ReactNode;
  readonly tone?: 'bad' | 'good';
}

/** A row of figures to be read at a glance. */
export const Tiles = ({ children }: { readonly children: ReactNode }) => (
  <dl className={classes.tiles}>{children}</dl>
);

export const Tile = ({ name, children, about, tone }: TileProps) => (
  <div>
    <dt>{name}</dt>
    <dd className={classes.figure} data-tone={tone}>
      {children}
    </dd>
    {about !== undefined && <dd className={classes.about}>{about}</dd>}
  </div>
);
