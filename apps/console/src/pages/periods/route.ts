import { createRoute } from '@tanstack/react-router';
import { periodsQuery } from '../../api/periods.ts';
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
  loader: ({ context, deps: { account } }) =>
    void context.queryClient.prefetchQuery(periodsQuery(account ?? context.session.account_id)),
}).lazy(() => import('./Periods.tsx').then(({ page }) => page));
