import { createRoute } from '@tanstack/react-router';
import { mustBe } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';
import { filterOf, readLedgerSearch } from './search.ts';

export const ledgerRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/ledger',
  staticData: { words: 'ledger', sharedWords: ['finance'] },
  validateSearch: readLedgerSearch,
  beforeLoad: mustBe('owner', 'admin', 'finance'),
  loaderDeps: ({ search: { number: _number, ...filter } }) => filter,
  loader: async ({ context: { queryClient }, deps }) => {
    const { ledgerQuery } = await import('../../api/ledger.ts');
    void queryClient.prefetchInfiniteQuery(ledgerQuery(filterOf(deps)));
  },
}).lazy(() => import('./Ledger.tsx').then(({ page }) => page));
