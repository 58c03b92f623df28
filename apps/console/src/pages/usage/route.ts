import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { toFilter, readFilters } from './filters.ts';

export const usageRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: readFilters,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient }, deps }) => {
    const { requestsQuery } = await import('../../api/requests.ts');
    void queryClient.prefetchInfiniteQuery(requestsQuery(toFilter(deps)));
  },
}).lazy(() => import('./Usage.tsx').then(({ page }) => page));
