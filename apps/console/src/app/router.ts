import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { inviteRoute } from '../pages/invite/route.ts';
import { setupRoute } from '../pages/setup/route.ts';
import { signInRoute } from '../pages/sign-in/route.ts';
import type { Page, PublicPage } from './page.ts';
import { PAGES } from './pages.ts';
import { noSuchPageRoute, rootRoute, shellRoute } from './root.tsx';

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/home', replace: true });
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
