import { createRoute } from '@tanstack/react-router';
import { statementQuery, statementsQuery } from '../../api/statements.ts';
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
  loader: ({ context: { queryClient }, deps: { month } }) => {
    void queryClient.prefetchQuery(statementsQuery);
    if (month !== undefined) void queryClient.prefetchQuery(statementQuery(month));
  },
}).lazy(() => import('./Statements.tsx').then(({ page }) => page));
