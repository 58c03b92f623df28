import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { type OverviewSearch, readOverviewSearch, toOverviewParams } from './search.ts';

export const overviewRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: (search): OverviewSearch => readOverviewSearch(search),
  loaderDeps: ({ search: { range } }) => ({ range }),
  loader: async ({ context: { queryClient }, deps: { range } }) => {
    const [{ overviewQuery }, { catalogueQuery }] = await Promise.all([
      import('../../api/overview.ts'),
      import('../../api/catalogue.ts'),
    ]);
    void queryClient.prefetchQuery(overviewQuery(toOverviewParams(range === undefined ? {} : { range })));
    void queryClient.prefetchQuery(catalogueQuery);
  },
}).lazy(() => import('./Overview.tsx').then(({ page }) => page));
