import { createRoute } from '@tanstack/react-router';
import { mustBe } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';
import { type PeriodsSearch, readPeriodsSearch } from './search.ts';

export const periodsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/periods',
  staticData: { words: 'periods', sharedWords: ['finance'] },
  validateSearch: (search): PeriodsSearch => readPeriodsSearch(search),
  beforeLoad: mustBe('owner', 'admin', 'finance'),
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient, session }, deps: { account = session.account_id } }) => {
    const { periodsQuery } = await import('../../api/periods.ts');
    void queryClient.prefetchQuery(periodsQuery(account));
  },
}).lazy(() => import('./Periods.tsx').then(({ page }) => page));
