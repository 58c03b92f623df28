import { createRoute } from '@tanstack/react-router';
import { catalogueQuery } from '../../api/catalogue.ts';
import { healthQuery } from '../../api/upstreams.ts';
import { operatorsWith } from '../../app/operators-with.ts';
import { shellRoute } from '../../app/root.tsx';
import { readUpstreamsSearch } from './search.ts';

export const upstreamsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/upstreams',
  staticData: { words: 'upstreams' },
  validateSearch: readUpstreamsSearch,
  beforeLoad: operatorsWith('catalogue'),
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(catalogueQuery);
    void queryClient.prefetchQuery(healthQuery);
  },
}).lazy(() => import('./Upstreams.tsx').then(({ page }) => page));
