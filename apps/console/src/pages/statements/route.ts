import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { ALL_ACCOUNTS, readStatementsSearch } from './search.ts';

export const statementsRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: readStatementsSearch,
  loaderDeps: ({ search: { month, account } }) => ({ month, account }),
  loader: async ({ context: { queryClient }, deps: { month, account } }) => {
    if (account === ALL_ACCOUNTS) return;
    const { statementQuery, statementsQuery } = await import('../../api/statements.ts');
    void queryClient.prefetchQuery(statementsQuery(account));
    if (month !== undefined) void queryClient.prefetchQuery(statementQuery(month, account));
  },
}).lazy(() => import('./Statements.tsx').then(({ page }) => page));
