import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { StatementSummary } from '../../api/statements.ts';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { MonthMark } from './MonthMark.tsx';
import classes from './Statements.module.css';

const HASH_SHOWN = 12;

interface MonthTableProps {
  readonly months: readonly StatementSummary[];
  readonly account: string | undefined;
}

/** Months with what they began with, what came and went, and what was left. */
export function MonthTable({ months, account }: MonthTableProps) {
  const { t } = useTranslation('statements');
  const format = useFormat();
  const columns = useMemo((): readonly Column<StatementSummary>[] => {
    const money = (
      id: string,
      header: string,
      of: (month: StatementSummary) => string,
    ): Column<StatementSummary> => ({
      id,
      header,
      align: 'end',
      amount: (month) => format.exactMoney(of(month)),
      cell: (month) => <span className="tg-number">{format.exactMoney(of(month))}</span>,
    });
    return [
      {
        id: 'month',
        header: t('columns.month'),
        card: 'title',
        sortBy: ({ month }) => month,
        cell: ({ month }) => (
          <Link
            to="/statements"
            search={account === undefined ? { month } : { month, account }}
            className={classes.month}
          >
            {format.month(month)}
          </Link>
        ),
      },
      {
        id: 'status',
        header: t('columns.status'),
        cell: ({ status }) => <MonthMark status={status} />,
      },
      {
        id: 'requests',
        header: t('columns.requests'),
        align: 'end',
        sortBy: ({ requests }) => requests,
        cell: ({ requests }) => <span className="tg-number">{format.count(requests)}</span>,
      },
      money('opening', t('columns.opening'), ({ opening_balance_usd }) => opening_balance_usd),
      money('credit', t('columns.credit'), ({ credit_usd }) => credit_usd),
      money('usage', t('columns.usage'), ({ usage_usd }) => usage_usd),
      money('closing', t('columns.closing'), ({ closing_balance_usd }) => closing_balance_usd),
      {
        id: 'hash',
        header: t('columns.hash'),
        cell: ({ hash }) => (
          <Text span size="xs" c="dimmed" className="tg-mono" title={hash ?? undefined}>
            {hash === null ? '–' : hash.slice(0, HASH_SHOWN)}
          </Text>
        ),
      },
    ];
  }, [t, format, account]);
  return (
    <DataTable
      id="statements"
      label={t('title')}
      columns={columns}
      rows={months}
      rowId={({ month }) => month}
    />
  );
}
