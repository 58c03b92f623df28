import { createRoute } from '@tanstack/react-router';
import { mustBe } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';
import { type ReconciliationSearch, readReconciliationSearch } from './search.ts';

export const reconciliationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/reconciliation',
  staticData: { words: 'reconciliation', sharedWords: ['finance'] },
  validateSearch: (search): ReconciliationSearch => readReconciliationSearch(search),
  beforeLoad: mustBe('owner', 'admin', 'finance'),
  loader: async ({ context: { queryClient } }) => {
    const { reconciliationsQuery } = await import('../../api/reconciliation.ts');
    void queryClient.prefetchQuery(reconciliationsQuery);
  },
}).lazy(() => import('./Reconciliation.tsx').then(({ page }) => page));
