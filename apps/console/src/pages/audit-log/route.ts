import { createRoute } from '@tanstack/react-router';
import { mustBe } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';
import { filterOf, readAuditSearch } from './search.ts';

export const auditLogRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/audit-log',
  staticData: { words: 'audit-log' },
  validateSearch: readAuditSearch,
  beforeLoad: mustBe('owner', 'admin'),
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient }, deps }) => {
    const { auditLogQuery } = await import('../../api/audit-log.ts');
    void queryClient.prefetchInfiniteQuery(auditLogQuery(filterOf(deps)));
  },
}).lazy(() => import('./AuditLog.tsx').then(({ page }) => page));
