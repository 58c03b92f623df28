import { ActionIcon, Button, Group, Switch } from '@mantine/core';
import { IconActivity, IconDownload, IconRefresh } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readRequests, type RequestEntry, requestsQuery, requestTotalsQuery } from '../../api/requests.ts';
import { usageCsvPath } from '../../api/usage.ts';
import { OnceOpened } from '../../shared/OnceOpened.tsx';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { changed, isAnyFilter } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { CutSort, isCutSort, Totals } from '../../shared/Totals.tsx';
import { useAllowed } from '../../shared/use-allowed.ts';
import { useFormat } from '../../shared/use-format.ts';
import { FilterBar } from './FilterBar.tsx';
import { ALL_ACCOUNTS } from './filters.ts';
import { toChargeFilter, toFilter } from './request-filter.ts';
import { useTail } from './use-tail.ts';
import { useZone } from '../../shared/use-zone.ts';

const loadList = () => import('./UsageList.tsx');
const UsageList = lazy(loadList);
const EntryDrawer = lazy(() => import('./EntryDrawer.tsx'));

export const page = createLazyRoute('/shell/usage')({ component: Usage });

// It comes while the log is asked for, and before there are rows for it.
void loadList();

function Usage() {
  const { t } = useTranslation('usage');
  const search = page.useSearch();
  const { session } = page.useRouteContext();
  const navigate = page.useNavigate();
  const zone = useZone();
  const filter = toFilter(search, zone);
  const log = useInfiniteQuery(requestsQuery(filter));
  const { data: totals, error: totalsError } = useQuery(requestTotalsQuery(filter));
  const format = useFormat();
  const seesAll = useAllowed('requests:read-all');
  const { account } = search;
  const isAll = account === ALL_ACCOUNTS;
  const [chosen, choose] = useState<RequestEntry | null>(null);
  const entries = useMemo(() => log.data?.pages.flatMap(({ items }) => items) ?? [], [log.data]);
  const [isLive, setLive] = useState(false);
  // What is new stands at the top of no other order.
  const mayBeLive = search.sort === undefined || search.sort === '-time';
  useTail(filter, isLive && mayBeLive && log.isSuccess);
  const isFiltered = isAnyFilter(search);

  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        <Group gap="sm">
          <Switch
            label={t('live')}
            checked={isLive && mayBeLive}
            disabled={!mayBeLive}
            onChange={({ currentTarget }) => setLive(currentTarget.checked)}
          />
          {!isAll && (
            <Button
              component="a"
              href={usageCsvPath(toChargeFilter(search, zone))}
              download
              variant="default"
              title={t('exportMeans')}
              leftSection={<IconDownload size={16} />}
            >
              {t('export')}
            </Button>
          )}
          <ActionIcon
            variant="default"
            size="lg"
            loading={log.isRefetching}
            onClick={() => void log.refetch()}
            aria-label={t('refresh')}
            title={t('refresh')}
          >
            <IconRefresh size={17} />
          </ActionIcon>
        </Group>
      }
    >
      <FilterBar
        search={search}
        seesAll={seesAll}
        ownAccount={session.account_id}
        onChange={(change) =>
          void navigate({ search: (before) => changed(before, change), replace: true, resetScroll: false })
        }
      />
      <Totals error={totalsError}>
        {totals &&
          t('totals', {
            count: totals.requests,
            failed: format.count(totals.failed),
            charged: format.exactMoney(totals.charged_usd),
            tokensIn: format.count(totals.tokens_in),
            tokensOut: format.count(totals.tokens_out),
          })}
        {totals && isCutSort(search.sort, 'time', totals.requests) && <CutSort />}
      </Totals>
      <Panel>
        {log.isPending && <LoadingRows rows={10} />}
        {log.isError && entries.length === 0 && (
          <Failed error={log.error} onRetry={() => void log.refetch()} />
        )}
        {log.isSuccess && entries.length === 0 && (
          <Nothing
            icon={IconActivity}
            title={t(isFiltered ? 'none.filteredTitle' : 'none.title')}
            about={t(search.request ? 'none.byId' : isFiltered ? 'none.filteredAbout' : 'none.about')}
          />
        )}
        {entries.length > 0 && (
          <Suspense fallback={<LoadingRows rows={10} />}>
            <UsageList
              entries={entries}
              showsAccount={isAll}
              showsServing={seesAll}
              readAll={() => readRequests(filter)}
              hasMore={log.hasNextPage}
              isLoadingMore={log.isFetchingNextPage}
              moreError={log.isFetchNextPageError ? log.error : null}
              onMore={() => void log.fetchNextPage()}
              onChoose={choose}
            />
          </Suspense>
        )}
      </Panel>
      <OnceOpened isOpen={chosen !== null}>
        <EntryDrawer entry={chosen} onClose={() => choose(null)} />
      </OnceOpened>
    </Page>
  );
}
