import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { auditLogRoute } from '../pages/audit-log/route.ts';
import { catalogueRoute } from '../pages/catalogue/route.ts';
import { discountsRoute } from '../pages/discounts/route.ts';
import { keysRoute } from '../pages/keys/route.ts';
import { limitsRoute } from '../pages/limits/route.ts';
import { modelsRoute } from '../pages/models/route.ts';
import { signInRoute } from '../pages/sign-in/route.ts';
import { systemRoute } from '../pages/system/route.ts';
import { upstreamsRoute } from '../pages/upstreams/route.ts';
import { usageRoute } from '../pages/usage/route.ts';
import { noSuchPageRoute, rootRoute, shellRoute } from './root.tsx';

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/keys', replace: true });
  },
});

/** Every page of the console. */
const routeTree = rootRoute.addChildren([
  startRoute,
  signInRoute,
  shellRoute.addChildren([
    keysRoute,
    usageRoute,
    modelsRoute,
    catalogueRoute,
    upstreamsRoute,
    auditLogRoute,
    systemRoute,
    limitsRoute,
    discountsRoute,
    noSuchPageRoute,
  ]),
]);

export const makeRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree,
    context: { queryClient },
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
