import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { toSpan } from '../../shared/days.ts';
import { page } from './page.config.ts';
import { readMarginsSearch } from './search.ts';

export const marginsRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: readMarginsSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient }, deps: { by = 'model', ...days } }) => {
    const { marginsQuery } = await import('../../api/margins.ts');
    void queryClient.prefetchQuery(marginsQuery(by, toSpan(days)));
  },
}).lazy(() => import('./Margins.tsx').then(({ page }) => page));
