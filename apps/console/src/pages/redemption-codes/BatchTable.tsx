import { Progress, Stack, Text } from '@mantine/core';
import { IconEye, IconTrash } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Batch, readBatches } from '../../api/redemption.ts';
import { Moment } from '../../shared/Moment.tsx';
import { RowMenu } from '../../shared/RowMenu.tsx';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Mark, type MarkTone } from '../../shared/Mark.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { type BatchStatus, openCodes, findBatchStatus } from './status.ts';
import classes from './RedemptionCodes.module.css';

const TONES: Readonly<Record<BatchStatus, MarkTone>> = { open: 'good', expired: 'warn', used: 'plain' };

interface BatchTableProps {
  readonly batches: readonly Batch[];
  readonly onSee: (batch: Batch) => void;
  readonly onRevoke: (batch: Batch) => void;
}

export function BatchTable({ batches, onSee, onRevoke }: BatchTableProps) {
  const { t } = useTranslation('redemption-codes');
  const format = useFormat();
  const columns = useMemo(
    (): readonly Column<Batch>[] => [
      {
        id: 'note',
        header: t('columns.batch'),
        card: 'title',
        cell: ({ note, created_by: by, created_at: at }) => (
          <Stack gap={0}>
            <Text size="sm" fw={580} lineClamp={2}>
              {note}
            </Text>
            <Text size="xs" c="dimmed">
              {t('madeBy', { by, date: format.day(at) })}
            </Text>
          </Stack>
        ),
      },
      {
        id: 'status',
        header: t('columns.status'),
        cell: (batch) => {
          const status = findBatchStatus(batch);
          return <Mark tone={TONES[status]}>{t(`status.${status}`)}</Mark>;
        },
      },
      {
        id: 'amount',
        header: t('columns.amount'),
        align: 'end',
        amount: ({ amount_usd: amount }) => format.exactMoney(amount),
        cell: ({ amount_usd: amount }) => <span className="tg-number">{format.exactMoney(amount)}</span>,
      },
      {
        id: 'redeemed',
        header: t('columns.redeemed'),
        cell: ({ redeemed, revoked, count }) => (
          <Stack gap={5} className={classes.progress}>
            <span className="tg-number">
              {t('redeemedOf', { redeemed: format.count(redeemed), count: format.count(count) })}
              {revoked > 0 && ` · ${t('revokedOf', { revoked: format.count(revoked) })}`}
            </span>
            <Progress
              value={(100 * redeemed) / count}
              size={4}
              aria-label={t('redeemedOf', { redeemed, count })}
            />
          </Stack>
        ),
      },
      {
        id: 'expires',
        header: t('columns.expires'),
        cell: ({ expires_at: at }) =>
          at === null ? (
            <Text size="sm" c="dimmed">
              {t('never')}
            </Text>
          ) : (
            <Moment at={at} as="day" />
          ),
      },
      {
        id: 'actions',
        header: t('columns.actions'),
        align: 'end',
        card: 'corner',
        cell: (batch) => (
          <RowMenu
            label={t('doings', { note: batch.note })}
            sections={() => [
              {
                entries: [
                  { label: t('see'), icon: <IconEye size={16} />, onClick: () => onSee(batch) },
                  ...(openCodes(batch) > 0
                    ? [
                        {
                          label: t('revoke'),
                          icon: <IconTrash size={16} />,
                          isDanger: true,
                          onClick: () => onRevoke(batch),
                        },
                      ]
                    : []),
                ],
              },
            ]}
          />
        ),
      },
    ],
    [t, format, onSee, onRevoke],
  );
  return (
    <DataTable
      id="redemption-codes"
      readAll={readBatches}
      label={t('title')}
      columns={columns}
      rows={batches}
      rowId={({ id }) => id}
      isFaded={(batch) => findBatchStatus(batch) !== 'open'}
    />
  );
}
