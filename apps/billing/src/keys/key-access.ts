import type { Session } from '@tollgate/contracts';
import { httpError } from '@tollgate/platform';
import { isAllowed } from '@tollgate/vocabulary';
import type { DataSource } from 'typeorm';
import { UserEntity } from '../accounts/user.entity.ts';
import type { ApiKeyEntity } from './api-key.entity.ts';

/** Owners and admins manage every account; others their own. */
export const canManageAllAccounts = ({ role }: Session): boolean => isAllowed(role, 'accounts:write');

/** Who manages every account sees every key; others of their account their own, its own, and all with the permission. */
export const seesKey = (person: Session, { accountId, ownerId }: ApiKeyEntity): boolean =>
  canManageAllAccounts(person) ||
  (accountId === person.account_id &&
    (isAllowed(person.role, 'keys:read-all') || ownerId === null || ownerId === person.user_id));

/** @throws HttpException for who may not say whose a key is, and for who is not of its account. */
export async function requireOwner(
  database: DataSource,
  person: Session,
  accountId: string,
  ownerId: string | null,
): Promise<string | null> {
  if (!canManageAllAccounts(person))
    throw httpError(403, 'owner_id: this is for operators of this service.', 'owner_id', 'operators_only');
  if (ownerId !== null && !(await database.getRepository(UserEntity).existsBy({ id: ownerId, accountId })))
    throw httpError(400, 'owner_id: there is no such person in this account.', 'owner_id', 'no_such_person');
  return ownerId;
}
