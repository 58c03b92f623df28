import { accounts } from './accounts.ts';
import { catalogueEntries } from './catalogue.ts';
import { drafts } from './drafts.ts';
import { factors } from './factors.ts';
import { auditLog } from './audit-log.ts';
import { exportSchedules } from './export-schedules.ts';
import { dataExports } from './exports.ts';
import { keys } from './keys.ts';
import { ledger, ledgerOperations } from './ledger.ts';
import { margins } from './margins.ts';
import { links, members } from './members.ts';
import { notices } from './notices.ts';
import { overview } from './overview.ts';
import { partitions } from './partitions.ts';
import { periods } from './periods.ts';
import { providers } from './providers.ts';
import { publicPrices } from './prices.ts';
import { profile } from './profile.ts';
import { reconciliations } from './reconciliations.ts';
import { redemption } from './redemption.ts';
import { rejected } from './rejected-usage.ts';
import { requests } from './requests.ts';
import { rerates } from './rerates.ts';
import type { Resource, Route } from './route.ts';
import { search } from './search.ts';
import { setup } from './setup.ts';
import { signIn } from './sign-in.ts';
import { statements } from './statements.ts';
import { systemState } from './system.ts';
import { upstreams } from './upstreams.ts';
import { usageReviews } from './usage-reviews.ts';
import { usage } from './usage.ts';
import { versions } from './versions.ts';

/** What each service serves, by the tag that its document shows. */
export const SERVICES = {
  billing: {
    title: 'Tollgate billing',
    description: 'Sign-in, API keys, the usage log and the ledger.',
    documentPath: '/api/openapi.json',
    resources: {
      'Sign-in': signIn,
      Setup: setup,
      Profile: profile,
      Factors: factors,
      Accounts: accounts,
      Members: members,
      Links: links,
      Keys: keys,
      Usage: usage,
      Requests: requests,
      Overview: overview,
      Search: search,
      Notices: notices,
      'Usage reviews': usageReviews,
      'Rejected usage': rejected,
      Partitions: partitions,
      Ledger: ledger,
      'Ledger operations': ledgerOperations,
      Margins: margins,
      Redemption: redemption,
      Periods: periods,
      Reconciliations: reconciliations,
      Rerates: rerates,
      Statements: statements,
      Exports: dataExports,
      'Export schedules': exportSchedules,
      'Audit log': auditLog,
      System: systemState,
    },
  },
  pricing: {
    title: 'Tollgate pricing',
    description: 'Public prices, the catalogue with its versions, and drafts of price books.',
    documentPath: '/api/catalogue/openapi.json',
    resources: {
      Prices: publicPrices,
      Catalogue: catalogueEntries,
      Versions: versions,
      Drafts: drafts,
      Upstreams: upstreams,
      Providers: providers,
    },
  },
} as const;

/** Every route of resources, by the name of its operation. */
export const listOperations = (
  resources: Readonly<Record<string, Resource>>,
): (readonly [operationId: string, route: Route])[] =>
  Object.values(resources).flatMap((resource) => Object.entries(resource));
