import { createRoute } from '@tanstack/react-router';
import { mustBeSignedIn } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';
import { readStatementsSearch } from './search.ts';

export const statementsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/statements',
  staticData: { words: 'statements' },
  validateSearch: readStatementsSearch,
  beforeLoad: mustBeSignedIn,
  loaderDeps: ({ search: { month } }) => ({ month }),
  loader: async ({ context: { queryClient }, deps: { month } }) => {
    const { statementQuery, statementsQuery } = await import('../../api/statements.ts');
    void queryClient.prefetchQuery(statementsQuery);
    if (month !== undefined) void queryClient.prefetchQuery(statementQuery(month));
  },
}).lazy(() => import('./Statements.tsx').then(({ page }) => page));
