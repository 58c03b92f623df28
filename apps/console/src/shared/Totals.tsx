import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** What everything that fits a filter adds up to; its place is kept while that is asked for. */
export const Totals = ({ children }: { readonly children: ReactNode }) => (
  <Text size="sm" c="dimmed" className="tg-number" aria-live="polite" mih="1.3em">
    {children}
  </Text>
);
