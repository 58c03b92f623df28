import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { readMarginsSearch } from './search.ts';

export const marginsRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: readMarginsSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient, session }, deps: { by = 'model', ...days } }) => {
    const [{ marginsQuery }, { toSpan }] = await Promise.all([
      import('../../api/margins.ts'),
      import('../../shared/spans.ts'),
    ]);
    void queryClient.prefetchQuery(marginsQuery(by, toSpan(days, session.time_zone)));
  },
}).lazy(() => import('./Margins.tsx').then(({ page }) => page));
