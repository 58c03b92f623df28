import { type ReactNode, Suspense, useState } from 'react';

interface OnceOpenedProps {
  readonly isOpen: boolean;
  /** A drawer that is loaded with `lazy()`. */
  readonly children: ReactNode;
}

/** Loads a drawer when it is first opened, and leaves it there from then on, to slide away and back. */
export function OnceOpened({ isOpen, children }: OnceOpenedProps) {
  const [wasOpened, setOpened] = useState(isOpen);
  if (isOpen && !wasOpened) setOpened(true);
  return <Suspense>{wasOpened && children}</Suspense>;
}
