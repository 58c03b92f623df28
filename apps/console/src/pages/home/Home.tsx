import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { accountQuery } from '../../api/account.ts';
import { summaryQuery } from '../../api/summary.ts';
import { recentUsageQuery } from '../../api/usage.ts';
import { loadWords } from '../../i18n/i18n.ts';
import { useAllowed } from '../../shared/use-allowed.ts';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows } from '../../shared/States.tsx';
import { Segments } from '../../shared/Segments.tsx';
import { ChartPanel } from './ChartPanel.tsx';
import { Figures } from './Figures.tsx';
import { RecentPanel } from './RecentPanel.tsx';
import {
  type HomeSearch,
  type Range,
  RANGES,
  readHomeSearch,
  RECENT_REQUESTS,
  toSummaryParams,
  USUAL,
} from './search.ts';

// Who has sent a request needs it no more.
const Welcome = lazy(() => import('./Welcome.tsx'));
const BesideTokens = lazy(async () => {
  const [panel] = await Promise.all([import('./BesideTokens.tsx'), loadWords('meter-kinds')]);
  return panel;
});

export const page = createLazyRoute('/shell/home')({ component: Home });

/** How things stand: what is left, what was spent on what, and what happened last. */
function Home() {
  const { t } = useTranslation('home');
  const { session } = page.useRouteContext();
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const recent = useQuery(recentUsageQuery(RECENT_REQUESTS));
  const summary = useQuery(summaryQuery(toSummaryParams(search)));
  const account = useQuery(accountQuery(session.account_id));
  const change = (change: HomeSearch) =>
    void navigate({
      search: (before) => readHomeSearch(changed({ ...before }, change)),
      replace: true,
      resetScroll: false,
    });
  const error = recent.error ?? summary.error ?? account.error;
  const [entries, sums, own] = [recent.data?.items, summary.data, account.data];
  const managesKeys = useAllowed('keys:write');
  const isNew = entries?.length === 0;
  const retry = () => void Promise.all([recent.refetch(), summary.refetch(), account.refetch()]);

  return (
    <Page
      title={t('title')}
      about={own?.name}
      actions={
        !isNew && (
          <Segments
            label={t('range')}
            value={search.range ?? USUAL.range}
            data={Object.keys(RANGES).map((range) => ({
              value: range,
              label: t(`ranges.${range as Range}`),
            }))}
            onChange={(range) => change({ range: range as Range })}
          />
        )
      }
    >
      {entries && sums && own ? (
        <Stack gap="lg">
          <Suspense>{isNew && managesKeys && <Welcome />}</Suspense>
          <Figures summary={sums} account={own} range={search.range ?? USUAL.range} isNew={isNew} />
          {Object.keys(sums.total.units).length > 0 && (
            <Suspense>
              <BesideTokens units={sums.total.units} />
            </Suspense>
          )}
          {!isNew && <ChartPanel summary={sums} search={search} onChange={change} />}
          {!isNew && <RecentPanel entries={entries} />}
        </Stack>
      ) : (
        <Panel>{error ? <Failed error={error} onRetry={retry} /> : <LoadingRows rows={8} />}</Panel>
      )}
    </Page>
  );
}
