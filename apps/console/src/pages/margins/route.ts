import { createRoute } from '@tanstack/react-router';
import { mustBe } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';
import { spanOf } from '../../shared/days.ts';
import { readMarginsSearch } from './search.ts';

export const marginsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/margins',
  staticData: { words: 'margins', sharedWords: ['finance'] },
  validateSearch: readMarginsSearch,
  beforeLoad: mustBe('owner', 'admin', 'finance'),
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient }, deps: { by = 'model', ...days } }) => {
    const { marginsQuery } = await import('../../api/margins.ts');
    void queryClient.prefetchQuery(marginsQuery(by, spanOf(days)));
  },
}).lazy(() => import('./Margins.tsx').then(({ page }) => page));
