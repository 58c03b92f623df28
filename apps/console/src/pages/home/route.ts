import { createRoute } from '@tanstack/react-router';
import { accountQuery } from '../../api/account.ts';
import { summaryQuery } from '../../api/summary.ts';
import { requestCountsQuery } from '../../api/requests.ts';
import { recentUsageQuery } from '../../api/usage.ts';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import {
  type HomeSearch,
  readHomeSearch,
  RECENT_REQUESTS,
  toCountsParams,
  toSummaryParams,
} from './search.ts';

export const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: (search): HomeSearch => readHomeSearch(search),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient, session }, deps }) => {
    void queryClient.prefetchQuery(summaryQuery(toSummaryParams(deps)));
    void queryClient.prefetchQuery(requestCountsQuery(toCountsParams(deps)));
    void queryClient.prefetchQuery(recentUsageQuery(RECENT_REQUESTS));
    void queryClient.prefetchQuery(accountQuery(session.account_id));
  },
}).lazy(() => import('./Home.tsx').then(({ page }) => page));
