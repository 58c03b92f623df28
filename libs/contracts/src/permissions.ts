import type { Session } from './session.ts';

type Role = Session['role'];

const EVERYBODY: readonly Role[] = ['owner', 'admin', 'finance', 'member'];
const BOOKKEEPERS: readonly Role[] = ['owner', 'admin', 'finance'];
const OPERATORS: readonly Role[] = ['owner', 'admin'];

/**
 * What each role may do; a role that is not named may not. Whose account it may be done in is another question:
 * operators act in every account, bookkeepers read every account, members stay in their own.
 */
export const PERMISSIONS = {
  /** One's own sessions, name and password. */
  'self.manage': EVERYBODY,
  'account.read': EVERYBODY,
  'account.list': BOOKKEEPERS,
  'account.manage': OPERATORS,
  'person.manage': OPERATORS,
  'key.read': EVERYBODY,
  /** Makes, changes, rotates and deletes keys: a key spends money, so who keeps the books has none. */
  'key.manage': ['owner', 'admin', 'member'],
  'key.import': ['owner'],
  'usage.read': EVERYBODY,
  'ledger.read': EVERYBODY,
  /** The books of all accounts. */
  'books.read': BOOKKEEPERS,
  /** Enters transactions, closes months, makes redemption codes, reconciles and rerates. */
  'books.keep': BOOKKEEPERS,
  'code.redeem': EVERYBODY,
  'export.use': EVERYBODY,
  'export.schedule': BOOKKEEPERS,
  'audit.read': BOOKKEEPERS,
  'partition.read': OPERATORS,
  /** Takes a closed month out of the usage log. */
  'partition.detach': ['owner'],
  'system.read': OPERATORS,
  /** Models, prices, groups, pools, upstreams, limits, drafts and versions. */
  'catalogue.manage': OPERATORS,
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export type Permission = keyof typeof PERMISSIONS;

export const isAllowed = (role: Role, permission: Permission): boolean =>
  (PERMISSIONS[permission] as readonly Role[]).includes(role);
