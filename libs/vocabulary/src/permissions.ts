/** What people are in an account. `owner` and `admin` run the deployment, `finance` keeps its books. */
export const ROLES = ['owner', 'admin', 'finance', 'member'] as const;
export type Role = (typeof ROLES)[number];

const EVERYBODY: readonly Role[] = ROLES;
const BOOKKEEPERS: readonly Role[] = ['owner', 'admin', 'finance'];
const OPERATORS: readonly Role[] = ['owner', 'admin'];

/**
 * What each role may do; a role that is not named may not. Whose account it may be done in is another question:
 * operators act in every account, bookkeepers read every account, members stay in their own.
 */
export const PERMISSIONS = {
  /** One's own sessions, name, password and factors. */
  'self:write': EVERYBODY,
  'accounts:read': EVERYBODY,
  /** The list of all accounts. */
  'accounts:read-all': BOOKKEEPERS,
  'accounts:write': OPERATORS,
  'members:write': OPERATORS,
  'keys:read': EVERYBODY,
  /** Keys of other people of an account, to change them with `keys:write`; without it one's own and the account's. */
  'keys:read-all': BOOKKEEPERS,
  /** Makes, changes, rotates and deletes keys: a key spends money, so who keeps the books has none. */
  'keys:write': ['owner', 'admin', 'member'],
  'keys:import': ['owner'],
  'usage:read': EVERYBODY,
  /** Requests of all accounts, with who served them and what that cost. */
  'requests:read-all': OPERATORS,
  /** Transactions and statements of one account. */
  'ledger:read': EVERYBODY,
  /** What is known of all accounts: margins, months, reconciliations, redemption codes, reviews. */
  'ledger:read-all': BOOKKEEPERS,
  /** Enters transactions, closes months, makes redemption codes, reconciles and rerates. */
  'ledger:write': BOOKKEEPERS,
  'redemption-codes:redeem': EVERYBODY,
  'exports:write': EVERYBODY,
  'export-schedules:write': BOOKKEEPERS,
  'audit-log:read': BOOKKEEPERS,
  'partitions:read': OPERATORS,
  /** Takes a closed month out of the usage log. */
  'partitions:detach': ['owner'],
  /** Drops the rows of such a month. */
  'partitions:drop': ['owner'],
  'system:read': OPERATORS,
  /** Models, prices, groups, pools, upstreams, limits, drafts and versions. */
  'catalogue:write': OPERATORS,
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export type Permission = keyof typeof PERMISSIONS;

export const isAllowed = (role: Role, permission: Permission): boolean =>
  (PERMISSIONS[permission] as readonly Role[]).includes(role);
