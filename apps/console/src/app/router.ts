import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { accountRoute, accountsRoute } from '../pages/accounts/route.ts';
import { auditLogRoute } from '../pages/audit-log/route.ts';
import { catalogueRoute } from '../pages/catalogue/route.ts';
import { discountsRoute } from '../pages/discounts/route.ts';
import { exportsRoute } from '../pages/exports/route.ts';
import { homeRoute } from '../pages/home/route.ts';
import { inviteRoute } from '../pages/invite/route.ts';
import { keysRoute } from '../pages/keys/route.ts';
import { ledgerRoute } from '../pages/ledger/route.ts';
import { limitsRoute } from '../pages/limits/route.ts';
import { marginsRoute } from '../pages/margins/route.ts';
import { modelsRoute } from '../pages/models/route.ts';
import { periodsRoute } from '../pages/periods/route.ts';
import { playgroundRoute } from '../pages/playground/route.ts';
import { reconciliationRoute } from '../pages/reconciliation/route.ts';
import { redemptionCodesRoute } from '../pages/redemption-codes/route.ts';
import { settingsRoute } from '../pages/settings/route.ts';
import { setupRoute } from '../pages/setup/route.ts';
import { signInRoute } from '../pages/sign-in/route.ts';
import { statementsRoute } from '../pages/statements/route.ts';
import { systemRoute } from '../pages/system/route.ts';
import { upstreamsRoute } from '../pages/upstreams/route.ts';
import { usageRoute } from '../pages/usage/route.ts';
import { usersRoute } from '../pages/users/route.ts';
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
  shellRoute.addChildren([
    homeRoute,
    settingsRoute,
    usersRoute,
    keysRoute,
    usageRoute,
    modelsRoute,
    playgroundRoute,
    statementsRoute,
    accountsRoute,
    accountRoute,
    ledgerRoute,
    exportsRoute,
    marginsRoute,
    periodsRoute,
    reconciliationRoute,
    redemptionCodesRoute,
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
