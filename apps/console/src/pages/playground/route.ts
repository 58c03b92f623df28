import { createRoute } from '@tanstack/react-router';
import { pricesQuery } from '../../api/pricing.ts';
import { mustBeSignedIn } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';
import { readPlaygroundSearch } from './search.ts';

export const playgroundRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/playground',
  staticData: { words: 'playground' },
  validateSearch: readPlaygroundSearch,
  beforeLoad: mustBeSignedIn,
  loader: ({ context }) => void context.queryClient.prefetchQuery(pricesQuery),
}).lazy(() => import('./Playground.tsx').then(({ page }) => page));
