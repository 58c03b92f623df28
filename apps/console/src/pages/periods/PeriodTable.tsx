import { Stack, Text, UnstyledButton } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClosedPeriod, OpenPeriod, Periods } from '../../api/periods.ts';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark } from '../../shared/Mark.tsx';
import { useFormat } from '../../shared/use-format.ts';
import classes from './Periods.module.css';
import { isOver } from './search.ts';
import { useMonth } from './use-month.ts';

interface Row {
  readonly month: string;
  readonly closed: ClosedPeriod | null;
  readonly open: OpenPeriod | null;
  readonly sealing: Periods['sealing'][number] | null;
}

interface PeriodTableProps {
  readonly periods: Periods;
  readonly onChoose: (period: ClosedPeriod) => void;
}

const NONE = (
  <Text span size="sm" c="dimmed">
    –
  </Text>
);

/** The open month of an account above those that are closed, of which the newest may still be sealed. */
export function PeriodTable({ periods, onChoose }: PeriodTableProps) {
  const { t } = useTranslation('periods');
  const format = useFormat();
  const monthText = useMonth();
  const rows = useMemo(
    (): readonly Row[] => [
      ...(periods.open
        ? [{ month: periods.open.month, closed: null, open: periods.open, sealing: null }]
        : []),
      ...periods.sealing
        .map((sealing) => ({ month: sealing.month, closed: null, open: null, sealing }))
        .reverse(),
      ...periods.items.map((closed) => ({ month: closed.month, closed, open: null, sealing: null })),
    ],
    [periods],
  );
  const columns = useMemo((): readonly Column<Row>[] => {
    const money = (amount: string | undefined) =>
      amount === undefined ? NONE : <span className="tg-number">{format.exactMoney(amount)}</span>;
    return [
      {
        id: 'month',
        header: t('columns.month'),
        card: 'title',
        cell: ({ month, closed }) =>
          closed ? (
            <UnstyledButton className={classes.month} onClick={() => onChoose(closed)}>
              {monthText(month)}
            </UnstyledButton>
          ) : (
            <Text size="sm" fw={580}>
              {monthText(month)}
            </Text>
          ),
      },
      {
        id: 'status',
        header: t('columns.status'),
        cell: ({ closed, open, sealing }) =>
          closed ? (
            <Mark tone="good">{t('closed')}</Mark>
          ) : sealing ? (
            <Mark tone="accent">{t('sealing', { checked: sealing.checked, total: sealing.total })}</Mark>
          ) : (
            <Mark tone={open && isOver(open) ? 'warn' : 'accent'}>
              {t(open && isOver(open) ? 'over' : 'open')}
            </Mark>
          ),
      },
      {
        id: 'opening',
        header: t('columns.opening'),
        align: 'end',
        amount: ({ closed }) => closed?.opening_balance_usd && format.exactMoney(closed.opening_balance_usd),
        cell: ({ closed }) => money(closed?.opening_balance_usd),
      },
      {
        id: 'closing',
        header: t('columns.closing'),
        align: 'end',
        amount: ({ closed }) => closed?.closing_balance_usd && format.exactMoney(closed.closing_balance_usd),
        cell: ({ closed }) => money(closed?.closing_balance_usd),
      },
      {
        id: 'transactions',
        header: t('columns.transactions'),
        align: 'end',
        cell: ({ closed }) =>
          closed ? <span className="tg-number">{format.count(closed.transactions)}</span> : NONE,
      },
      {
        id: 'by',
        header: t('columns.by'),
        cell: ({ closed, open }) =>
          closed ? (
            <Stack gap={0}>
              <Text size="sm" lineClamp={1}>
                {closed.closed_by === 'automatic' ? t('itself') : closed.closed_by}
              </Text>
              <Text size="xs" c="dimmed">
                {format.day(closed.closed_at)}
              </Text>
            </Stack>
          ) : (
            open && (
              <Text size="sm" c="dimmed">
                {t(isOver(open) ? 'canClose' : 'ends', { date: format.moment(open.to) })}
              </Text>
            )
          ),
      },
    ];
  }, [t, format, monthText, onChoose]);
  return (
    <DataTable id="periods" label={t('title')} columns={columns} rows={rows} rowId={({ month }) => month} />
  );
}
