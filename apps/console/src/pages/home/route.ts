import { createRoute } from '@tanstack/react-router';
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
  loader: async ({ context: { queryClient, session }, deps }) => {
    // Not imported above: nobody else's first view has them, and the page itself loads them meanwhile.
    const [{ accountQuery }, { summaryQuery }, { requestCountsQuery }, { recentUsageQuery }] =
      await Promise.all([
        import('../../api/account.ts'),
        import('../../api/summary.ts'),
        import('../../api/requests.ts'),
        import('../../api/usage.ts'),
      ]);
    void queryClient.prefetchQuery(summaryQuery(toSummaryParams(deps)));
    void queryClient.prefetchQuery(requestCountsQuery(toCountsParams(deps)));
    void queryClient.prefetchQuery(recentUsageQuery(RECENT_REQUESTS));
    void queryClient.prefetchQuery(accountQuery(session.account_id));
  },
}).lazy(() => import('./Home.tsx').then(({ page }) => page));
