import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { catalogueQuery } from '../../api/catalogue.ts';
import { type Overview as Figures, overviewQuery } from '../../api/overview.ts';
import { systemQuery } from '../../api/system.ts';
import { healthQuery } from '../../api/upstreams.ts';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Failed, LoadingRows } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { Segments } from '../../shared/Segments.tsx';
import { isBelowZero } from '../accounts/status.ts';
import { RANGES, type Range } from '../home/search.ts';
import { failedShare } from '../home/series.ts';
import { toTimes } from '../usage/times.ts';
import { listConcerns } from './attention.ts';
import { ConcernList } from './ConcernList.tsx';
import { findFirstSteps, hasRealAnswer } from './first-steps.ts';
import { OverTime } from './OverTime.tsx';
import { type OverviewSearch, readOverviewSearch, toOverviewParams, USUAL } from './search.ts';
import { Tops } from './Tops.tsx';
import { useLookup } from '../../shared/use-lookup.ts';
import classes from './Overview.module.css';

const FirstSteps = lazy(() => import('./FirstSteps.tsx'));

export const page = createLazyRoute('/shell/overview')({ component: Overview });

/** The operator's home: how all accounts fare, and what needs attention. */
function Overview() {
  const { t } = useTranslation('overview');
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const change = (values: OverviewSearch) =>
    void navigate({
      search: (before) => readOverviewSearch({ ...before, ...values }),
      replace: true,
      resetScroll: false,
    });
  const { range = USUAL.range, measure = USUAL.measure } = search;
  const { data, error, refetch } = useQuery(overviewQuery(toOverviewParams({ range })));
  const catalogue = useLookup(catalogueQuery).data?.catalogue;
  const health = useLookup(healthQuery).data;
  const system = useLookup(systemQuery).data;
  const isUnanswered = data !== undefined && !hasRealAnswer(data);
  // What was answered may be longer ago than what is shown.
  const longer = useLookup({
    ...overviewQuery(toOverviewParams({ range: '90d' })),
    enabled: isUnanswered,
  }).data;
  const isNew = isUnanswered && longer !== undefined && !hasRealAnswer(longer);
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        <Segments
          label={t('range')}
          value={range}
          data={Object.keys(RANGES).map((value) => ({ value, label: t(`ranges.${value as Range}`) }))}
          onChange={(value) => change({ range: value as Range })}
        />
      }
    >
      {data ? (
        <Stack gap="lg">
          <Suspense>{isNew && catalogue && <FirstSteps steps={findFirstSteps(catalogue)} />}</Suspense>
          <FigureRow overview={data} />
          <ConcernList
            concerns={listConcerns({ health, catalogue, overview: data, system })}
            isComplete={Boolean(health && catalogue && system)}
          />
          <OverTime
            overview={data}
            range={range}
            measure={measure}
            onChange={(value) => change({ measure: value })}
          />
          <Tops overview={data} />
        </Stack>
      ) : (
        <Panel>
          {error ? <Failed error={error} onRetry={() => void refetch()} /> : <LoadingRows rows={8} />}
        </Panel>
      )}
    </Page>
  );
}

function FigureRow({ overview }: { readonly overview: Figures }) {
  const { requests, failed, total, latency, buckets, from, to, time_zone: zone } = overview;
  const { t } = useTranslation('overview');
  const format = useFormat();
  const share = failedShare({ requests, failed });
  const ms = (value: number | null) => (value === null ? '–' : t('ms', { ms: format.count(value) }));
  return (
    <div className={classes.figures}>
      <Figure name={t('requests')} about={t('charged', { count: total.requests })}>
        <span title={format.count(requests)}>{format.shortCount(requests)}</span>
      </Figure>
      <Figure name={t('errors')} about={t('failed', { count: failed })}>
        {share === null ? (
          '–'
        ) : (
          <Link
            to="/usage"
            search={{ account: 'all', status: 'error', ...toTimes(buckets[0] ?? from, to, zone) }}
          >
            {t('percent', { share })}
          </Link>
        )}
      </Figure>
      <Figure name={t('revenue')} about={t('revenueAbout')}>
        <span title={format.exactMoney(total.revenue_usd)}>{format.shortMoney(total.revenue_usd)}</span>
      </Figure>
      <Figure
        name={t('margin')}
        about={
          total.requests_of_unknown_cost > 0
            ? t('unknownCost', { count: total.requests_of_unknown_cost })
            : t('costAbout', { amount: format.shortMoney(total.upstream_cost_usd) })
        }
      >
        <span
          className={isBelowZero(total.margin_usd) ? classes.loss : undefined}
          title={format.exactMoney(total.margin_usd)}
        >
          {format.shortMoney(total.margin_usd)}
        </span>
      </Figure>
      {(['first_byte', 'whole'] as const).map((name) => {
        const { p50_ms, p95_ms, p99_ms } = latency[name];
        const percentiles = t('percentiles', { p95: ms(p95_ms), p99: ms(p99_ms) });
        const mean = t('meanIs', { mean: ms(name === 'whole' ? total.latency_ms : total.first_byte_ms) });
        return (
          <Figure
            key={name}
            name={t(name === 'whole' ? 'latency' : 'firstByte')}
            about={<span title={t('sample', { count: latency.requests })}>{`${percentiles} · ${mean}`}</span>}
          >
            {ms(p50_ms)}
          </Figure>
        );
      })}
    </div>
  );
}

interface FigureProps {
  readonly name: string;
  readonly about: ReactNode;
  readonly children: ReactNode;
}

const Figure = ({ name, about, children }: FigureProps) => (
  <Panel p="md">
    <Title order={2} className={classes.name}>
      {name}
    </Title>
    <div className={`${classes.value} tg-number`}>{children}</div>
    <Text size="xs" c="dimmed" mt={4}>
      {about}
    </Text>
  </Panel>
);
