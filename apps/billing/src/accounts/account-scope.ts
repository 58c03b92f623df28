import type { Session } from '@tollgate/contracts';
import { httpError } from '@tollgate/platform';

/** Owners and admins act for every account; others for their own. */
export const actsForAll = ({ role }: Session): boolean => role === 'owner' || role === 'admin';

/** The books of all accounts are open to owners, admins and finance. */
export const keepsBooks = (person: Session): boolean => actsForAll(person) || person.role === 'finance';

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

/**
 * The account whose books a person wants to read: the one they name, else their own.
 *
 * @throws HttpException 403 when it is another's and they do not keep the books.
 */
export function accountToRead(person: Session, named: string | undefined): string {
  const accountId = named ?? person.account_id;
  if (accountId !== person.account_id && !keepsBooks(person)) {
    throw httpError(403, 'That is another account.', 'account_id');
  }
  return accountId;
}

/** @throws HttpException 403 for those who do not keep the books. */
export function mustKeepBooks(person: Session): void {
  if (!keepsBooks(person))
    throw httpError(403, 'This is for the roles owner, admin and finance of this service.');
}
