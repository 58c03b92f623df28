import { Button, Group, Progress, Select, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { parseUsd } from '@tollgate/money';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountNamesQuery } from '../../api/account-names.ts';
import type { Draft } from '../../api/drafts.ts';
import type { RerateLine, RerateSums } from '../../api/rerate.ts';
import { type Column, DataTable } from '../../shared/DataTable.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { useErrorText } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { type Period, PERIODS } from './periods.ts';
import { useDryRun } from './use-dry-run.ts';
import { useLookup } from '../../shared/use-lookup.ts';
import classes from './Catalogue.module.css';

/** What usage of a time would have cost by a draft: nothing is booked. */
export function DryRunPanel({ draft }: { readonly draft: Draft }) {
  const { t } = useTranslation('catalogue-versions');
  const errorText = useErrorText();
  const [period, setPeriod] = useState<Period>('lastMonth');
  const { run, start, stop } = useDryRun();
  const { rows, of, isRunning, total } = run;
  return (
    <Panel>
      <div className={classes.section}>
        <Stack gap="md">
          <div>
            <Title order={2}>{t('dryRun.title')}</Title>
            <Text size="sm" c="dimmed">
              {t('dryRun.about')}
            </Text>
          </div>
          <Group gap="sm" align="flex-end">
            <Select
              w={220}
              aria-label={t('dryRun.period')}
              allowDeselect={false}
              data={PERIODS.map((value) => ({ value, label: t(`dryRun.periods.${value}`) }))}
              value={period}
              onChange={(value) => setPeriod(PERIODS.find((each) => each === value) ?? period)}
            />
            {isRunning ? (
              <Button variant="default" onClick={stop}>
                {t('dryRun.stop')}
              </Button>
            ) : (
              <Button
                variant="default"
                disabled={draft.faults.length > 0}
                onClick={() => void start(draft.name, period)}
              >
                {t('dryRun.start')}
              </Button>
            )}
          </Group>
          {isRunning && <Running rows={rows} of={of} />}
          {run.error !== null && (
            <Text role="alert" size="sm" c="var(--mantine-color-error)">
              {errorText(run.error)}
            </Text>
          )}
          {total && <Result total={total} lines={run.lines} />}
        </Stack>
      </div>
    </Panel>
  );
}

function Running({ rows, of }: { readonly rows: number; readonly of: number | null }) {
  const { t } = useTranslation('catalogue-versions');
  const format = useFormat();
  const text =
    of === null ? t('dryRun.counting') : t('dryRun.rows', { rows: format.count(rows), of: format.count(of) });
  return (
    <div role="status">
      <Progress value={of === null || of === 0 ? 100 : (rows / of) * 100} animated aria-label={text} />
      <Text size="xs" c="dimmed" mt={4} className="tg-number">
        {text}
      </Text>
    </div>
  );
}

interface ResultProps {
  readonly total: RerateSums;
  readonly lines: readonly RerateLine[];
}

function Result({ total, lines }: ResultProps) {
  const { t } = useTranslation('catalogue-versions');
  const format = useFormat();
  const names = useLookup(accountNamesQuery(lines.map(({ account_id }) => account_id))).data;
  const signed = (amount: string) => (/^-|^0\.00$/.test(amount) ? '' : '+') + format.exactMoney(amount);
  const columns = useMemo((): readonly Column<RerateLine>[] => {
    const money = (id: 'booked_usd' | 'rerated_usd', header: string): Column<RerateLine> => ({
      id,
      header,
      align: 'end',
      amount: (line) => format.exactMoney(line[id]),
      cell: (line) => format.exactMoney(line[id]),
    });
    return [
      {
        id: 'model',
        header: t('dryRun.model'),
        card: 'title',
        cell: ({ model, account_id }) => (
          <>
            <span className="tg-mono">{model}</span>
            <Text size="xs" c="dimmed">
              {names?.get(account_id) ?? account_id}
            </Text>
          </>
        ),
      },
      {
        id: 'requests',
        header: t('dryRun.requests'),
        align: 'end',
        cell: ({ requests }) => <span className="tg-number">{format.count(requests)}</span>,
      },
      money('booked_usd', t('dryRun.booked')),
      money('rerated_usd', t('dryRun.rerated')),
      {
        id: 'difference',
        header: t('dryRun.difference'),
        align: 'end',
        sortBy: ({ difference_usd }) => parseUsd(difference_usd),
        cell: ({ difference_usd: amount }) => <span className="tg-number">{signed(amount)}</span>,
      },
    ];
  }, [t, format, names]);
  const difference = total.difference_usd;
  const tone = /^0\.00$/.test(difference) ? undefined : difference.startsWith('-') ? 'bad' : 'good';
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
        <Figure name={t('dryRun.booked')} value={format.exactMoney(total.booked_usd)} />
        <Figure name={t('dryRun.rerated')} value={format.exactMoney(total.rerated_usd)} />
        <Figure name={t('dryRun.difference')} value={signed(difference)} tone={tone} />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        {t('dryRun.requestCount', { count: total.requests })}
        {total.unpriced_requests > 0 && ` ${t('dryRun.unpriced', { count: total.unpriced_requests })}`}
      </Text>
      {lines.length > 0 && (
        <div className={classes.lines} tabIndex={0} role="region" aria-label={t('dryRun.byModel')}>
          <DataTable
            label={t('dryRun.byModel')}
            columns={columns}
            rows={lines}
            rowId={({ account_id, model }) => `${account_id}/${model}`}
          />
        </div>
      )}
    </Stack>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly tone?: 'good' | 'bad' | undefined;
}

const Figure = ({ name, value, tone }: FigureProps) => (
  <div>
    <Text size="xs" c="dimmed">
      {name}
    </Text>
    <div className={classes.figure} data-tone={tone}>
      {value}
    </div>
  </div>
);
