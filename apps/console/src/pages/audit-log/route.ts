import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { readAuditSearch } from './search.ts';

export const auditLogRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: readAuditSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient, session }, deps }) => {
    const [{ auditLogQuery }, { toFilter }] = await Promise.all([
      import('../../api/audit-log.ts'),
      import('./entry-filter.ts'),
    ]);
    void queryClient.prefetchInfiniteQuery(auditLogQuery(toFilter(deps, session.time_zone)));
  },
}).lazy(() => import('./AuditLog.tsx').then(({ page }) => page));
