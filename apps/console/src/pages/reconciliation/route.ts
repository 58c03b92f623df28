import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { type ReconciliationSearch, readReconciliationSearch } from './search.ts';

export const reconciliationRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: (search): ReconciliationSearch => readReconciliationSearch(search),
  loader: async ({ context: { queryClient } }) => {
    const { reconciliationsQuery } = await import('../../api/reconciliation.ts');
    void queryClient.prefetchQuery(reconciliationsQuery);
  },
}).lazy(() => import('./Reconciliation.tsx').then(({ page }) => page));
