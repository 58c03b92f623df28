import { Stack, Text, UnstyledButton } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Reconciliation } from '../../api/reconciliation.ts';
import { Moment } from '../../shared/Moment.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark } from '../../shared/Mark.tsx';
import { useFormat } from '../../shared/use-format.ts';
import classes from './Reconciliation.module.css';

interface ReconciliationTableProps {
  readonly items: readonly Reconciliation[];
  readonly shown: string | undefined;
  readonly onChoose: (id: string) => void;
}

/** What was compared so far. */
export function ReconciliationTable({ items, shown, onChoose }: ReconciliationTableProps) {
  const { t } = useTranslation('reconciliation');
  const format = useFormat();
  const columns = useMemo(
    (): readonly Column<Reconciliation>[] => [
      {
        id: 'what',
        header: t('columns.invoice'),
        card: 'title',
        cell: ({ id, upstream, first_day, last_day }) => (
          <Stack gap={0} align="flex-start">
            <UnstyledButton
              className={classes.chosen}
              aria-current={id === shown}
              onClick={() => onChoose(id)}
            >
              {upstream}
            </UnstyledButton>
            <Text size="xs" c="dimmed" className="tg-number">
              {t('inDays', { from: first_day, to: last_day })}
            </Text>
          </Stack>
        ),
      },
      {
        id: 'outcome',
        header: t('columns.status'),
        cell: ({ summary: { rows } }) => {
          const wrong = rows.differs + rows.only_ours + rows.only_theirs;
          return wrong === 0 ? (
            <Mark tone="good">{t('statuses.ok')}</Mark>
          ) : (
            <Mark tone="bad">{t('wrongRows', { count: wrong })}</Mark>
          );
        },
      },
      {
        id: 'difference',
        header: t('difference'),
        align: 'end',
        amount: ({ summary: { totals } }) =>
          totals.difference.amount_usd === null ? undefined : format.exactMoney(totals.difference.amount_usd),
        cell: ({ summary: { totals } }) => (
          <span className="tg-number">
            {totals.difference.amount_usd === null ? '–' : format.exactMoney(totals.difference.amount_usd)}
          </span>
        ),
      },
      { id: 'actor', header: t('columns.actor'), cell: ({ actor }) => actor },
      {
        id: 'time',
        header: t('columns.time'),
        cell: ({ created_at: at }) => <Moment at={at} as="ago" />,
      },
    ],
    [t, format, shown, onChoose],
  );
  return <DataTable label={t('earlier')} columns={columns} rows={items} rowId={({ id }) => id} />;
}
