import { createRoute } from '@tanstack/react-router';
import { ownSessionsQuery, profileQuery } from '../../api/me.ts';
import { mustBeSignedIn } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';

export const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  staticData: { words: 'settings' },
  beforeLoad: mustBeSignedIn,
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(profileQuery);
    void queryClient.prefetchQuery(ownSessionsQuery);
  },
}).lazy(() => import('./Settings.tsx').then(({ page }) => page));
