import { createRoute } from '@tanstack/react-router';
import { operatorsWith } from '../../app/operators-with.ts';
import { shellRoute } from '../../app/root.tsx';

export const limitsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/limits',
  staticData: { words: 'limits' },
  beforeLoad: operatorsWith('catalogue'),
  loader: async ({ context: { queryClient } }) => {
    const { catalogueQuery } = await import('../../api/catalogue.ts');
    void queryClient.prefetchQuery(catalogueQuery);
  },
}).lazy(() => import('./Limits.tsx').then(({ page }) => page));
