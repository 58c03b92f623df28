import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/root.tsx';

export const inviteRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invite',
  staticData: { words: 'invite' },
}).lazy(() => import('./Invite.tsx').then(({ page }) => page));
