import type { RefusalCode } from '@tollgate/vocabulary';

/** What an answer 403 says in `code` to somebody who has to prove who they are once more. */
export const REAUTHENTICATION_REQUIRED = 'reauthentication_required' satisfies RefusalCode;

/** What a 401 says in `code` to somebody whose password was right and whose second factor is still wanted. */
export const SECOND_FACTOR_REQUIRED = 'second_factor_required' satisfies RefusalCode;
