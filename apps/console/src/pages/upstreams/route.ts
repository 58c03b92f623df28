import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { readUpstreamsSearch } from './search.ts';

export const upstreamsRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: readUpstreamsSearch,
  loader: async ({ context: { queryClient } }) => {
    const [{ catalogueQuery }, { healthQuery }] = await Promise.all([
      import('../../api/catalogue.ts'),
      import('../../api/upstreams.ts'),
    ]);
    void queryClient.prefetchQuery(catalogueQuery);
    void queryClient.prefetchQuery(healthQuery);
  },
}).lazy(() => import('./Upstreams.tsx').then(({ page }) => page));
