import { IconArrowLeft } from '@tabler/icons-react';
import { createLink, type LinkComponent } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';
import classes from './Back.module.css';

const Way = ({
  children,
  ...props
}: AnchorHTMLAttributes<HTMLAnchorElement> & { readonly ref?: Ref<HTMLAnchorElement> }) => (
  <a {...props} className={classes.back}>
    <IconArrowLeft size={15} /> {children}
  </a>
);

/** The way from one of many back to all of them, above its title. */
export const Back: LinkComponent<typeof Way> = createLink(Way);
