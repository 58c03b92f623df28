import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';

export const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  loader: async ({ context: { queryClient } }) => {
    const { ownSessionsQuery, profileQuery } = await import('../../api/me.ts');
    void queryClient.prefetchQuery(profileQuery);
    void queryClient.prefetchQuery(ownSessionsQuery);
  },
}).lazy(() => import('./Settings.tsx').then(({ page }) => page));
