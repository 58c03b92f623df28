import { createRoute } from '@tanstack/react-router';
import { mustBe } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';
import { type AccountsSearch, readAccountsSearch } from './search.ts';

export const accountsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/accounts',
  staticData: { words: 'accounts', sharedWords: ['finance'] },
  validateSearch: (search): AccountsSearch => readAccountsSearch(search),
  beforeLoad: mustBe('owner', 'admin', 'finance'),
  loaderDeps: ({ search: { find } }) => ({ find }),
  loader: async ({ context: { queryClient }, deps }) => {
    const { accountsQuery } = await import('../../api/accounts.ts');
    void queryClient.prefetchInfiniteQuery(accountsQuery(deps.find ?? ''));
  },
}).lazy(() => import('./Accounts.tsx').then(({ page }) => page));

export const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/accounts/$id',
  staticData: { words: 'accounts', sharedWords: ['finance', 'keys'] },
  beforeLoad: mustBe('owner', 'admin', 'finance'),
  loader: async ({ context: { queryClient }, params }) => {
    const { accountQuery } = await import('../../api/accounts.ts');
    void queryClient.prefetchQuery(accountQuery(params.id));
  },
}).lazy(() => import('./AccountPage.tsx').then(({ page }) => page));
