import { Stack, Text } from '@mantine/core';
import type { ComparisonStatus } from '@tollgate/vocabulary';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ComparedRow } from '../../api/reconciliation.ts';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark, type MarkTone } from '../../shared/Mark.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { FIGURES, type FigureName, isOff } from './figures.ts';
import classes from './Reconciliation.module.css';

const ROW_TONES: Readonly<Record<ComparisonStatus, MarkTone>> = {
  ok: 'good',
  differs: 'bad',
  only_ours: 'warn',
  only_theirs: 'bad',
};

/** What the invoice says, and below it by how much we say more or less. */
export function ComparedTable({ rows }: { readonly rows: readonly ComparedRow[] }) {
  const { t } = useTranslation('reconciliation');
  const columns = useMemo(
    (): readonly Column<ComparedRow>[] => [
      {
        id: 'model',
        header: t('columns.model'),
        card: 'title',
        cell: ({ day, model }) => (
          <Stack gap={0}>
            <Text size="sm" fw={580} className="tg-mono">
              {model}
            </Text>
            <Text size="xs" c="dimmed" className="tg-number">
              {day}
            </Text>
          </Stack>
        ),
      },
      {
        id: 'status',
        header: t('columns.status'),
        cell: ({ status }) => <Mark tone={ROW_TONES[status]}>{t(`statuses.${status}`)}</Mark>,
      },
      ...FIGURES.map((figure): Column<ComparedRow> => ({
        id: figure,
        header: t(`columns.${figure}`),
        align: 'end',
        cell: (row) => <BothSides row={row} figure={figure} />,
      })),
    ],
    [t],
  );
  return (
    <DataTable
      id="comparison"
      label={t('rows')}
      columns={columns}
      rows={rows}
      rowId={({ day, model }) => `${day} ${model}`}
    />
  );
}

function BothSides({ row, figure }: { readonly row: ComparedRow; readonly figure: FigureName }) {
  const format = useFormat();
  const shown = (value: number | string | null) =>
    value === null ? '–' : typeof value === 'string' ? format.exactMoney(value) : format.count(value);
  const difference = row.difference[figure];
  const off = isOff(row.difference, figure);
  const isMore = off && !String(difference).startsWith('-');
  return (
    <span className={classes.sides}>
      <span>{shown(row.theirs?.[figure] ?? null)}</span>
      {off && (
        <small data-off={off}>
          {isMore ? '+' : ''}
          {shown(difference)}
        </small>
      )}
    </span>
  );
}
