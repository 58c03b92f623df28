import { Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Account } from '../../api/account.ts';
import { requestCountsQuery } from '../../api/requests.ts';
import type { UsageSummary } from '../../api/summary.ts';
import { Panel } from '../../shared/Panel.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { toTimes } from '../usage/times.ts';
import { findBalanceStatus } from './balance.ts';
import { type Range, toCountsParams } from './search.ts';
import { failedShare, failuresByStatus } from './series.ts';
import { useLookup } from '../../shared/use-lookup.ts';
import classes from './Home.module.css';

interface FiguresProps {
  readonly summary: UsageSummary;
  readonly account: Account & { readonly balance_usd: string };
  readonly range: Range;
  /** Nothing was ever asked for: only the money is told. */
  readonly isNew: boolean;
}

/** What is there, what was spent, and how requests went. */
export function Figures({ summary, account, range, isNew }: FiguresProps) {
  const { t } = useTranslation('home');
  const format = useFormat();
  const { total, spent, latency } = summary;
  const ms = (value: number | null) => (value === null ? t('none') : t('ms', { ms: format.count(value) }));
  const within = t(`within.${range}`);

  return (
    <div className={classes.figures} data-few={isNew}>
      <Balance account={account} />
      <Figure name={t('today')}>
        <span title={format.exactMoney(spent.today_usd)}>{format.shortMoney(spent.today_usd)}</span>
      </Figure>
      <Figure name={t('month')} about={t('monthAbout')}>
        <span title={format.exactMoney(spent.this_month_usd)}>{format.shortMoney(spent.this_month_usd)}</span>
      </Figure>
      {!isNew && (
        <>
          <Figure name={t('requests')} about={within}>
            <span title={format.count(total.requests)}>{format.shortCount(total.requests)}</span>
          </Figure>
          <Figure
            name={t('tokens')}
            about={t('inOut', {
              tokensIn: format.shortCount(total.tokens_in),
              tokensOut: format.shortCount(total.tokens_out),
            })}
          >
            <span title={format.count(total.tokens_in + total.tokens_out)}>
              {format.shortCount(total.tokens_in + total.tokens_out)}
            </span>
          </Figure>
          <Errors range={range} />
          <Figure name={t('latency')} about={t('p95', { value: ms(latency.p95_ms) })}>
            {ms(latency.p50_ms)}
          </Figure>
          <Figure name={t('firstByte')} about={t('p95', { value: ms(latency.first_byte_p95_ms) })}>
            {ms(latency.first_byte_p50_ms)}
          </Figure>
        </>
      )}
    </div>
  );
}

const SHOWN_STATUSES = 3;

/** The share of all requests that failed, those included that were never charged, and with which statuses. */
function Errors({ range }: Pick<FiguresProps, 'range'>) {
  const { t } = useTranslation('home');
  const format = useFormat();
  const counts = useLookup(requestCountsQuery(toCountsParams({ range }))).data;
  const share = counts ? failedShare(counts) : null;
  const statuses = counts ? failuresByStatus(counts).slice(0, SHOWN_STATUSES) : [];
  const name = (status: string) => (status === 'upstream_cut' ? t('outcomes.upstream_cut') : status);
  return (
    <Figure
      name={t('errors')}
      about={
        statuses.length === 0
          ? counts && t('noErrors', { count: format.count(counts.requests) })
          : statuses
              .map(([status, requests]) =>
                t('statusTimes', { what: name(status), times: format.count(requests) }),
              )
              .join(', ')
      }
    >
      {!counts || share === null ? (
        t('none')
      ) : (
        <Link
          to="/usage"
          search={{
            status: 'error',
            ...toTimes(counts.buckets[0] ?? counts.from, counts.to, counts.time_zone),
          }}
        >
          {t('percent', { share })}
        </Link>
      )}
    </Figure>
  );
}

function Balance({ account }: { readonly account: FiguresProps['account'] }) {
  const { t } = useTranslation('home');
  const format = useFormat();
  const { kind, left, used } = findBalanceStatus(account, account.balance_usd);
  const values = {
    left: format.shortMoney(left ?? '0'),
    limit: format.shortMoney(account.credit_limit_usd ?? '0'),
  };
  return (
    <Figure
      name={t('balance')}
      about={t(`status.${kind}`, values)}
      tone={kind === 'empty' ? 'bad' : undefined}
    >
      <span title={format.exactMoney(account.balance_usd)}>{format.shortMoney(account.balance_usd)}</span>
      {used !== null && (
        <div
          className={classes.used}
          data-tone={used >= 100 ? 'bad' : used >= 80 ? 'warn' : undefined}
          role="progressbar"
          aria-valuenow={used}
          aria-label={t('used', { percent: used })}
        >
          <div style={{ width: `${used}%` }} />
        </div>
      )}
    </Figure>
  );
}

interface FigureProps {
  readonly name: string;
  readonly about?: string;
  readonly tone?: 'bad' | undefined;
  readonly children: ReactNode;
}

const Figure = ({ name, about, tone, children }: FigureProps) => (
  <Panel p="md">
    <Title order={2} className={classes.name}>
      {name}
    </Title>
    <div className={`${classes.value} tg-number`}>{children}</div>
    <Text size="xs" c={tone === 'bad' ? 'var(--tg-bad)' : 'dimmed'} mt={4}>
      {about}
    </Text>
  </Panel>
);
