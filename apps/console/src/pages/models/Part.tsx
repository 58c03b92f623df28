import { Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A part of what is told of a model, under its own heading. */
export const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section aria-label={title}>
    <Title order={2} mb="xs">
      {title}
    </Title>
    {children}
  </section>
);
