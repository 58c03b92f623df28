import { createRoute } from '@tanstack/react-router';
import { mustBeSignedIn } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';

export const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  staticData: { words: 'settings' },
  beforeLoad: mustBeSignedIn,
  loader: async ({ context: { queryClient } }) => {
    const { ownSessionsQuery, profileQuery } = await import('../../api/me.ts');
    void queryClient.prefetchQuery(profileQuery);
    void queryClient.prefetchQuery(ownSessionsQuery);
  },
}).lazy(() => import('./Settings.tsx').then(({ page }) => page));
