import { createRoute } from '@tanstack/react-router';
import { usageQuery } from '../../api/usage.ts';
import { mustBeSignedIn } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';
import { filterOf, readFilters } from './filters.ts';

export const usageRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/usage',
  staticData: { words: 'usage', sharedWords: ['finance'] },
  validateSearch: readFilters,
  beforeLoad: mustBeSignedIn,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(usageQuery(filterOf(deps))),
}).lazy(() => import('./Usage.tsx').then(({ page }) => page));
