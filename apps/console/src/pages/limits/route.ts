import { createRoute } from '@tanstack/react-router';
import { catalogueQuery } from '../../api/catalogue.ts';
import { operatorsWith } from '../../app/operators-with.ts';
import { shellRoute } from '../../app/root.tsx';

export const limitsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/limits',
  staticData: { words: 'limits' },
  beforeLoad: operatorsWith('catalogue'),
  loader: ({ context }) => void context.queryClient.prefetchQuery(catalogueQuery),
}).lazy(() => import('./Limits.tsx').then(({ page }) => page));
