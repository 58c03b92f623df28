import { isAllowed, ROLES } from '@tollgate/vocabulary';

/** What an answer 403 says in `code` to somebody who has to prove who they are once more. */
export const REAUTHENTICATION_REQUIRED = 'reauthentication_required';

/** What a 401 says in `code` to somebody whose password was right and whose second factor is still wanted. */
export const SECOND_FACTOR_REQUIRED = 'second_factor_required';

interface DangerousRoute {
  /** The method and the path, parameters as `:name`. */
  readonly route: string;
  readonly why: string;
  /** Where only some bodies are dangerous. */
  readonly isDangerous?: (body: unknown) => boolean;
}

/** Roles that act beyond their own account. */
const PRIVILEGED = ROLES.filter((role) => isAllowed(role, 'accounts:read-all'));

const field = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null ? Object.getOwnPropertyDescriptor(body, name)?.value : undefined;

/** Whoever is made, or made to be, somebody who acts beyond an own account. */
const namesOperator = (body: unknown): boolean => PRIVILEGED.some((role) => role === field(body, 'role'));

/**
 * What a stolen session, or a browser that was left open, must not be enough for. Whoever asks for one of these proved
 * who they are within the last `REAUTHENTICATE_AFTER_MINUTES`.
 */
export const DANGEROUS_ROUTES: readonly DangerousRoute[] = [
  { route: 'PUT /api/auth/password', why: 'takes an own way in' },
  { route: 'POST /api/auth/factors/totp', why: 'adds a way in' },
  { route: 'POST /api/auth/factors/totp/confirm', why: 'adds a way in' },
  { route: 'DELETE /api/auth/factors/totp', why: 'takes a factor away' },
  { route: 'POST /api/auth/factors/passkeys/options', why: 'adds a way in' },
  { route: 'POST /api/auth/factors/passkeys', why: 'adds a way in' },
  { route: 'DELETE /api/auth/factors/passkeys/:passkey', why: 'takes a factor away' },
  { route: 'POST /api/auth/factors/recovery-codes', why: 'shows ways in' },
  { route: 'DELETE /api/accounts/:id/users/:user/factors', why: "takes another's factors away" },
  { route: 'PUT /api/accounts/:id/users/:user/password', why: "takes another's way in" },
  { route: 'POST /api/accounts/:id/users/:user/password-link', why: "gives another's way in" },
  { route: 'DELETE /api/accounts/:id/users/:user', why: 'removes a person' },
  { route: 'POST /api/accounts/:id/users', why: 'makes an operator', isDangerous: namesOperator },
  { route: 'PATCH /api/accounts/:id/users/:user', why: 'makes an operator', isDangerous: namesOperator },
  { route: 'POST /api/accounts/:id/invites', why: 'makes an operator', isDangerous: namesOperator },
  {
    route: 'PATCH /api/accounts/:id',
    why: 'ends an account',
    isDangerous: (body) => field(body, 'status') === 'disabled',
  },
  { route: 'POST /api/ledger/payouts', why: 'pays money out' },
  { route: 'POST /api/usage/partitions/:month/detach', why: 'takes a month out of the database' },
  { route: 'PUT /api/catalogue/upstreams/:name', why: 'sets a secret, or where secrets are sent to' },
  { route: 'POST /api/catalogue/drafts/:name/publish', why: 'may do the same' },
  { route: 'PUT /api/catalogue/drafts/:name/schedule', why: 'may do the same' },
  { route: 'POST /api/catalogue/reseal', why: 'seals every secret again' },
];

const BY_ROUTE = new Map(DANGEROUS_ROUTES.map((entry) => [entry.route, entry]));

/** @param path of the route, such as `/api/keys/:id`. */
export function isDangerous(method: string, path: string, body: unknown): boolean {
  const entry = BY_ROUTE.get(`${method} ${path}`);
  return entry !== undefined && (entry.isDangerous?.(body) ?? true);
}
