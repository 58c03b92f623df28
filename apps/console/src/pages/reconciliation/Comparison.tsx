import { Group, Title } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { COMPARISON_STATUSES, type ComparisonStatus } from '@tollgate/vocabulary';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type ReconciliationInFull, reconciliationQuery } from '../../api/reconciliation.ts';
import { Choice } from '../../shared/Choice.tsx';
import { Tile, Tiles } from '../../shared/Figures.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { ComparedTable } from './ComparedTable.tsx';
import { isOff } from './figures.ts';
import classes from './Reconciliation.module.css';

type Shown = ComparisonStatus | 'all' | undefined;

interface ComparisonProps {
  readonly id: string;
  /** Which rows are shown; without it those that are not ok. */
  readonly rows: Shown;
  readonly onRows: (rows: Shown) => void;
}

/** An invoice beside our own usage. */
export function Comparison({ id, rows, onRows }: ComparisonProps) {
  const { data, error, refetch } = useQuery(reconciliationQuery(id));
  if (data) return <Compared whole={data} rows={rows} onRows={onRows} />;
  return (
    <Panel>
      {error ? <Failed error={error} onRetry={() => void refetch()} /> : <LoadingRows rows={4} />}
    </Panel>
  );
}

interface ComparedProps extends Omit<ComparisonProps, 'id'> {
  readonly whole: ReconciliationInFull;
}

const isShown = (status: ComparisonStatus, rows: Shown): boolean =>
  rows === undefined ? status !== 'ok' : rows === 'all' || status === rows;

function Compared({ whole, rows, onRows }: ComparedProps) {
  const { t } = useTranslation(['reconciliation', 'finance']);
  const format = useFormat();
  const { totals, rows: counts } = whole.summary;
  const chosen = useMemo(() => whole.rows.filter(({ status }) => isShown(status, rows)), [whole, rows]);
  const wrong = counts.differs + counts.only_ours + counts.only_theirs;
  const money = (amount: string | null | undefined) =>
    amount === null || amount === undefined ? '–' : format.exactMoney(amount);
  return (
    <>
      <Tiles>
        <Tile
          name={t('theirs', { upstream: whole.upstream })}
          about={t('lines', { count: whole.parameters.lines })}
        >
          {money(totals.theirs?.amount_usd)}
        </Tile>
        <Tile name={t('ours')} about={t('inDays', { from: whole.first_day, to: whole.last_day })}>
          {money(totals.ours?.amount_usd)}
        </Tile>
        <Tile
          name={t('difference')}
          about={t('differenceMeans')}
          tone={isOff(totals.difference, 'amount_usd') ? 'bad' : 'good'}
        >
          {money(totals.difference.amount_usd)}
        </Tile>
        <Tile
          name={t('rowsThatDiffer')}
          about={t('tolerance', { percent: whole.parameters.tolerance_percent })}
          tone={wrong > 0 ? 'bad' : 'good'}
        >
          {t('ofAll', { wrong: format.count(wrong), all: format.count(whole.rows.length) })}
        </Tile>
      </Tiles>
      <Panel>
        <Group justify="space-between" className={classes.bar}>
          <Title order={2}>{t('rows')}</Title>
          <Choice
            size="xs"
            allowDeselect={false}
            isLabelHidden
            label={t('which')}
            value={rows ?? 'wrong'}
            onChange={(value) =>
              onRows(([...COMPARISON_STATUSES, 'all'] as const).find((each) => each === value))
            }
            data={[
              { value: 'wrong', label: t('statuses.wrong', { count: wrong }) },
              ...COMPARISON_STATUSES.filter((status) => counts[status] > 0 && status !== 'ok').map(
                (status) => ({
                  value: status,
                  label: t(`statuses.${status}`),
                }),
              ),
              { value: 'all', label: t('statuses.all') },
            ]}
          />
        </Group>
        {chosen.length === 0 ? (
          <Nothing icon={IconCircleCheck} title={t('agrees.title')} about={t('agrees.about')} />
        ) : (
          <ComparedTable rows={chosen} />
        )}
      </Panel>
    </>
  );
}
