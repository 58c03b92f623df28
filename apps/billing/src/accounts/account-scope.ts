import type { Session } from '@tollgate/contracts';
import { httpError } from '@tollgate/platform';

/** Owners and admins act for every account; others for their own. */
export const actsForAll = ({ role }: Session): boolean => role === 'owner' || role === 'admin';

/**
 * The account that a person's request is about: the one it names, else the person's own.
 *
 * @throws HttpException 403 when that is not theirs to see.
 */
export function accountFor(person: Session, named: string | undefined): string {
  const accountId = named ?? person.account_id;
  if (accountId !== person.account_id && !actsForAll(person)) {
    throw httpError(403, 'That is another account.', 'account_id');
  }
  return accountId;
}
