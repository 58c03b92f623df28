import { createRoute, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session.ts';
import { nextPath } from '../../app/next-path.ts';
import { rootRoute } from '../../app/root.tsx';

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  staticData: { words: 'sign-in' },
  validateSearch: ({ next }): { next?: string } => {
    const path = nextPath(next);
    return path === undefined ? {} : { next: path };
  },
  beforeLoad: async ({ context, search }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session) throw redirect({ href: search.next ?? '/' });
  },
}).lazy(() => import('./SignIn.tsx').then(({ page }) => page));
