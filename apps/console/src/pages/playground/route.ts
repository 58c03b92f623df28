import { createRoute } from '@tanstack/react-router';
import { pricesQuery } from '../../api/pricing.ts';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { readPlaygroundSearch } from './search.ts';

export const playgroundRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: readPlaygroundSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(pricesQuery),
}).lazy(() => import('./Playground.tsx').then(({ page }) => page));
