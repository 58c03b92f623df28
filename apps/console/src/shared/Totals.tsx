import { Text } from '@mantine/core';
import { SORT_WINDOW } from '@tollgate/vocabulary';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from './States.tsx';

/** What everything that fits a filter adds up to; its place is kept while that is asked for. */
export function Totals({ error, children }: { readonly error: Error | null; readonly children: ReactNode }) {
  const errorText = useErrorText();
  return (
    <Text size="sm" c="dimmed" className="tg-number" aria-live="polite" mih="1.3em">
      {error ? errorText(error) : children}
    </Text>
  );
}

/** Whether an order is of the newest alone, as there is more than one looks at. */
export const isCutSort = (sort: string | undefined, time: string, found: number): boolean =>
  sort !== undefined && sort !== time && sort !== `-${time}` && found > SORT_WINDOW;

/** Says so. */
export function CutSort() {
  const { t } = useTranslation('table');
  return <> {t('cutSort', { count: SORT_WINDOW })}</>;
}
