import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { isAllowed } from '@tollgate/vocabulary';
import { sessionQuery } from '../api/session.ts';
import { inviteRoute } from '../pages/invite/route.ts';
import { setupRoute } from '../pages/setup/route.ts';
import { signInRoute } from '../pages/sign-in/route.ts';
import type { Page, PublicPage } from './page.ts';
import { PAGES } from './pages.ts';
import { noSuchPageRoute, rootRoute, shellRoute } from './root.tsx';

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  // Operators begin with how all accounts fare, others with their own.
  beforeLoad: async ({ context: { queryClient } }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (!session) throw redirect({ to: '/sign-in', replace: true });
    const isOperator = isAllowed(session.role, 'requests:read-all');
    throw redirect({ to: isOperator ? '/overview' : '/home', replace: true });
  },
});

/** Every page of the console. */
const routeTree = rootRoute.addChildren([
  startRoute,
  signInRoute,
  setupRoute,
  inviteRoute,
  shellRoute.addChildren([...PAGES, noSuchPageRoute]),
]);

export const makeRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree,
    context: {
      queryClient,
      pages: PAGES.map(({ options }) => options.staticData as Page | PublicPage),
    },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultPendingMs: 300,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
