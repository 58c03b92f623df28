/** What an answer 403 says in `code` to somebody who has to prove who they are once more. */
export const REAUTHENTICATION_REQUIRED = 'reauthentication_required';

/** What a 401 says in `code` to somebody whose password was right and whose second factor is still wanted. */
export const SECOND_FACTOR_REQUIRED = 'second_factor_required';

interface DangerousRoute {
  /** The method and the path, parameters as `:name`. */
  readonly route: string;
  readonly why: string;
}

/**
 * What a stolen session, or a browser that was left open, must not be enough for. Whoever asks for one of these proved
 * who they are within the last `REAUTHENTICATE_AFTER_MINUTES`.
 */
// Routes of the contract say it themselves: `reauthenticate`. These are not in it yet.
export const DANGEROUS_ROUTES: readonly DangerousRoute[] = [
  { route: 'POST /api/ledger/payouts', why: 'pays money out' },
  { route: 'POST /api/usage/partitions/:month/detach', why: 'takes a month out of the database' },
];

const ROUTES = new Set(DANGEROUS_ROUTES.map(({ route }) => route));

/** @param path of the route, such as `/api/keys/:id`. */
export const isDangerous = (method: string, path: string): boolean => ROUTES.has(`${method} ${path}`);
