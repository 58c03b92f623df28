import { createRoute, redirect } from '@tanstack/react-router';
import { setupQuery } from '../../api/setup.ts';
import { rootRoute } from '../../app/root.tsx';

export const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  staticData: { words: 'setup' },
  beforeLoad: async ({ context }) => {
    const { needed } = await context.queryClient.ensureQueryData(setupQuery);
    if (!needed) throw redirect({ to: '/sign-in', replace: true });
  },
}).lazy(() => import('./Setup.tsx').then(({ page }) => page));
