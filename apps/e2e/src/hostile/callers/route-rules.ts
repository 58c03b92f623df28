/** What the routes of the API promise to whom, said a second time and on purpose: a list to compare the programs with. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

const named = ({ method, path }: Route): string => `${method} ${path}`;
const any = (patterns: readonly RegExp[]) => (route: Route) =>
  patterns.some((pattern) => pattern.test(named(route)));

/** For whoever comes, without a session. */
export const isPublic = any([
  /^POST \/api\/auth\/(?:login|logout)$/,
  /^\w+ \/api\/auth\/(?:oidc|passkeys?|second-factor|totp)\b/,
  /^GET \/api\/auth\/session$/,
  /^\w+ \/api\/setup$/,
  /^POST \/api\/links\//,
  /^GET \/api\/pricing/,
]);

/** For everybody who is signed in, about themselves and their own account. */
export const isForMembers = any([
  /^\w+ \/api\/auth\//,
  /^\w+ \/api\/setup$/,
  /^POST \/api\/links\//,
  /^GET \/api\/pricing/,
  /^\w+ \/api\/keys(?:\/|$)(?!import)/,
  /^GET \/api\/usage(?:\.csv|\/summary)?$/,
  /^GET \/api\/requests/,
  /^GET \/api\/search$/,
  /^GET \/api\/ledger\/(?:balance|totals|transactions)/,
  /^GET \/api\/notices$/,
  /^GET \/api\/statements/,
  /^POST \/api\/redemption\/redeem$/,
  /^\w+ \/api\/exports(?!\/schedules)/,
]);

/** Finance reads the books of all, and moves money. */
export const isForFinance = any([
  /^\w+ \/api\/auth\//,
  /^\w+ \/api\/setup$/,
  /^POST \/api\/links\//,
  /^GET \/api\/pricing/,
  /^GET \/api\/(?:accounts|audit-log|keys|notices|usage|requests|search|ledger|finance|redemption|periods|statements|verifications|exports|system)/,
  /^POST \/api\/(?:ledger|finance|redemption|periods|exports)\//,
  /^\w+ \/api\/exports/,
]);
