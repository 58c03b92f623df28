import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { toFilter, readLedgerSearch } from './search.ts';

export const ledgerRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: readLedgerSearch,
  loaderDeps: ({ search: { number: _number, ...filter } }) => filter,
  loader: async ({ context: { queryClient }, deps }) => {
    const { ledgerQuery } = await import('../../api/ledger.ts');
    void queryClient.prefetchInfiniteQuery(ledgerQuery(toFilter(deps)));
  },
}).lazy(() => import('./Ledger.tsx').then(({ page }) => page));
