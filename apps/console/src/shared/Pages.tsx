import { Group, Pagination, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

interface PagesProps {
  /** How many there are in all, in words. */
  readonly total: string;
  readonly pages: number;
  /** The first one is 1. */
  readonly page: number;
  readonly onChange: (page: number, isCorrected?: boolean) => void;
}

/** The foot of a list that comes in pages. */
export function Pages({ total, pages, page, onChange }: PagesProps) {
  const { t } = useTranslation();
  // What the last page had may be gone, as is a key that was deleted there.
  const isGone = page > pages && pages > 0;
  useEffect(() => {
    if (isGone) onChange(pages, true);
  }, [isGone]);
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {total}
      </Text>
      {pages > 1 && (
        <Pagination
          total={pages}
          value={page}
          size="sm"
          onChange={onChange}
          getItemProps={(number) => ({ 'aria-label': t('pages.one', { number }) })}
          getControlProps={(control) => ({
            'aria-label': t(control === 'next' ? 'pages.next' : 'pages.previous'),
          })}
        />
      )}
    </Group>
  );
}
