import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';

export const systemRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  loader: async ({ context: { queryClient } }) => {
    const { systemQuery } = await import('../../api/system.ts');
    void queryClient.prefetchQuery(systemQuery);
  },
}).lazy(() => import('./System.tsx').then(({ page }) => page));
