import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { readLedgerSearch } from './search.ts';

export const ledgerRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: readLedgerSearch,
  loaderDeps: ({ search: { number: _number, ...filter } }) => filter,
  loader: async ({ context: { queryClient, session }, deps }) => {
    const [{ ledgerQuery }, { toFilter }] = await Promise.all([
      import('../../api/ledger.ts'),
      import('./entry-filter.ts'),
    ]);
    void queryClient.prefetchInfiniteQuery(ledgerQuery(toFilter(deps, session.time_zone)));
  },
}).lazy(() => import('./Ledger.tsx').then(({ page }) => page));
