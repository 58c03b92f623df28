import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { readStatementsSearch } from './search.ts';

export const statementsRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: readStatementsSearch,
  loaderDeps: ({ search: { month } }) => ({ month }),
  loader: async ({ context: { queryClient }, deps: { month } }) => {
    const { statementQuery, statementsQuery } = await import('../../api/statements.ts');
    void queryClient.prefetchQuery(statementsQuery);
    if (month !== undefined) void queryClient.prefetchQuery(statementQuery(month));
  },
}).lazy(() => import('./Statements.tsx').then(({ page }) => page));
