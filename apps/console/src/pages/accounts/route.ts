import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { innerPage, page } from './page.config.ts';
import { type AccountsSearch, readAccountSearch, readAccountsSearch, toFilter } from './search.ts';

export const accountsRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: (search): AccountsSearch => readAccountsSearch(search),
  loaderDeps: ({ search }) => toFilter(search),
  loader: async ({ context: { queryClient }, deps }) => {
    const { accountsQuery } = await import('../../api/accounts.ts');
    void queryClient.prefetchInfiniteQuery(accountsQuery(deps));
  },
}).lazy(() => import('./Accounts.tsx').then(({ page }) => page));

export const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(innerPage),
  validateSearch: readAccountSearch,
  loader: async ({ context: { queryClient }, params }) => {
    const { accountQuery } = await import('../../api/accounts.ts');
    void queryClient.prefetchQuery(accountQuery(params.id));
  },
}).lazy(() => import('./AccountPage.tsx').then(({ page }) => page));
