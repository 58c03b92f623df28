import { Text } from '@mantine/core';
import { parseUsd } from '@tollgate/money';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { MarginGroup } from '@tollgate/vocabulary';
import type { MarginRow } from '../../api/margins.ts';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { isBelowZero } from '../accounts/status.ts';
import classes from './Margins.module.css';
import { findName } from './row-name.ts';
import { usePercent } from './use-percent.ts';

interface MarginTableProps {
  readonly rows: readonly MarginRow[];
  readonly by: MarginGroup;
}

export function MarginTable({ rows, by }: MarginTableProps) {
  const { t } = useTranslation('margins');
  const format = useFormat();
  const percent = usePercent();
  const columns = useMemo((): readonly Column<MarginRow>[] => {
    const amount = (
      name: 'revenue' | 'cost' | 'margin',
      value: (row: MarginRow) => string,
    ): Column<MarginRow> => ({
      id: name,
      header: t(name),
      align: 'end',
      sortBy: (row) => parseUsd(value(row)),
      amount: (row) => format.exactMoney(value(row)),
      cell: (row) => (
        <span className={`tg-number ${isBelowZero(value(row)) ? classes.loss : ''}`}>
          {format.exactMoney(value(row))}
        </span>
      ),
    });
    return [
      {
        id: 'name',
        header: t(`groups.${by}`),
        card: 'title',
        sortBy: (row) => findName(row, by) ?? '',
        cell: (row) => {
          const name = findName(row, by);
          return (
            <Text size="sm" fw={580} {...(name === null ? { c: 'dimmed' } : {})}>
              {name ?? t('notSaid')}
            </Text>
          );
        },
      },
      {
        id: 'requests',
        header: t('columns.requests'),
        align: 'end',
        sortBy: ({ requests }) => requests,
        cell: ({ requests }) => <span className="tg-number">{format.count(requests)}</span>,
      },
      amount('revenue', ({ revenue_usd }) => revenue_usd),
      amount('cost', ({ upstream_cost_usd }) => upstream_cost_usd),
      amount('margin', ({ margin_usd }) => margin_usd),
      {
        id: 'ratio',
        header: t('ratio'),
        align: 'end',
        cell: ({ margin_ratio: ratio }) => <span className="tg-number">{percent(ratio)}</span>,
      },
    ];
  }, [t, format, by, percent]);
  return (
    <DataTable
      id="margins"
      label={t('title')}
      columns={columns}
      rows={rows}
      rowId={(row) => row[by] ?? 'not said'}
    />
  );
}
