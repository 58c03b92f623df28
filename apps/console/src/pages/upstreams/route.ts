import { createRoute } from '@tanstack/react-router';
import { operatorsWith } from '../../app/operators-with.ts';
import { shellRoute } from '../../app/root.tsx';
import { readUpstreamsSearch } from './search.ts';

export const upstreamsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/upstreams',
  staticData: { words: 'upstreams' },
  validateSearch: readUpstreamsSearch,
  beforeLoad: operatorsWith('catalogue'),
  loader: async ({ context: { queryClient } }) => {
    const [{ catalogueQuery }, { healthQuery }] = await Promise.all([
      import('../../api/catalogue.ts'),
      import('../../api/upstreams.ts'),
    ]);
    void queryClient.prefetchQuery(catalogueQuery);
    void queryClient.prefetchQuery(healthQuery);
  },
}).lazy(() => import('./Upstreams.tsx').then(({ page }) => page));
