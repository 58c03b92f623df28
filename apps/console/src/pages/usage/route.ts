import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { readFilters } from './filters.ts';

export const usageRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: readFilters,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient, session }, deps }) => {
    // Not imported above: nobody else's first view has them.
    const [{ requestsQuery }, { toFilter }] = await Promise.all([
      import('../../api/requests.ts'),
      import('./request-filter.ts'),
    ]);
    void queryClient.prefetchInfiniteQuery(requestsQuery(toFilter(deps, session.time_zone)));
  },
}).lazy(() => import('./Usage.tsx').then(({ page }) => page));
