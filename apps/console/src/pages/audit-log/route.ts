import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { toFilter, readAuditSearch } from './search.ts';

export const auditLogRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: readAuditSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient }, deps }) => {
    const { auditLogQuery } = await import('../../api/audit-log.ts');
    void queryClient.prefetchInfiniteQuery(auditLogQuery(toFilter(deps)));
  },
}).lazy(() => import('./AuditLog.tsx').then(({ page }) => page));
