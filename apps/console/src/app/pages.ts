import { accountRoute, accountsRoute } from '../pages/accounts/route.ts';
import { auditLogRoute } from '../pages/audit-log/route.ts';
import { catalogueRoute } from '../pages/catalogue/route.ts';
import { discountsRoute } from '../pages/discounts/route.ts';
import { exportsRoute } from '../pages/exports/route.ts';
import { homeRoute } from '../pages/home/route.ts';
import { keysRoute } from '../pages/keys/route.ts';
import { ledgerRoute } from '../pages/ledger/route.ts';
import { limitsRoute } from '../pages/limits/route.ts';
import { marginsRoute } from '../pages/margins/route.ts';
import { modelsRoute } from '../pages/models/route.ts';
import { periodsRoute } from '../pages/periods/route.ts';
import { overviewRoute } from '../pages/overview/route.ts';
import { playgroundRoute } from '../pages/playground/route.ts';
import { reconciliationRoute } from '../pages/reconciliation/route.ts';
import { redemptionCodesRoute } from '../pages/redemption-codes/route.ts';
import { settingsRoute } from '../pages/settings/route.ts';
import { statementsRoute } from '../pages/statements/route.ts';
import { systemRoute } from '../pages/system/route.ts';
import { upstreamsRoute } from '../pages/upstreams/route.ts';
import { usageRoute } from '../pages/usage/route.ts';
import { usersRoute } from '../pages/users/route.ts';

/** Every page in the frame, in the order of the navigation: what each is stands in its own `route.ts`. */
export const PAGES = [
  homeRoute,
  keysRoute,
  usageRoute,
  modelsRoute,
  playgroundRoute,
  statementsRoute,
  settingsRoute,
  overviewRoute,
  accountsRoute,
  accountRoute,
  usersRoute,
  catalogueRoute,
  upstreamsRoute,
  limitsRoute,
  systemRoute,
  auditLogRoute,
  marginsRoute,
  ledgerRoute,
  exportsRoute,
  reconciliationRoute,
  periodsRoute,
  redemptionCodesRoute,
  discountsRoute,
] as const;
