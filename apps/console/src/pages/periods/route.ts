import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { type PeriodsSearch, readPeriodsSearch } from './search.ts';

export const periodsRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: (search): PeriodsSearch => readPeriodsSearch(search),
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient, session }, deps: { account = session.account_id } }) => {
    const { periodsQuery } = await import('../../api/periods.ts');
    void queryClient.prefetchQuery(periodsQuery(account));
  },
}).lazy(() => import('./Periods.tsx').then(({ page }) => page));
