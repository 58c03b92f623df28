import { createRoute } from '@tanstack/react-router';
import { pricesQuery } from '../../api/pricing.ts';
import { mustBe } from '../../app/guards.ts';
import { KEY_MANAGERS } from '../../app/key-managers.ts';
import { shellRoute } from '../../app/root.tsx';
import { readPlaygroundSearch } from './search.ts';

export const playgroundRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/playground',
  staticData: { words: 'playground' },
  validateSearch: readPlaygroundSearch,
  beforeLoad: mustBe(...KEY_MANAGERS),
  loader: ({ context }) => void context.queryClient.prefetchQuery(pricesQuery),
}).lazy(() => import('./Playground.tsx').then(({ page }) => page));
