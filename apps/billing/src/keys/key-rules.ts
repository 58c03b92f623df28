import { column, httpError, readRow } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { AccountEntity } from '../accounts/account.entity.ts';

/** What holds for the keys of every account that operators set nothing else for. */
export interface KeyRules {
  readonly defaultGroups: readonly string[];
  readonly keysPerAccount: number;
}

/** The groups that people of an account may put its keys in. */
export const allowedGroups = (
  { allowedGroups: own }: Pick<AccountEntity, 'allowedGroups'>,
  { defaultGroups }: KeyRules,
): readonly string[] => own ?? defaultGroups;

/** The group of a key for which none is stated. */
export const usualGroup = (groups: readonly string[]): string =>
  groups.includes('default') ? 'default' : (groups[0] ?? 'default');

const keyCountRow = z.object({ count: column.int });

/**
 * Keys of an account are made one after another, so that two at once do not both take the last place.
 *
 * @throws HttpException 409 where the account has as many keys as it may.
 */
export async function requireRoomForKey(
  manager: EntityManager,
  { id, maxKeys }: Pick<AccountEntity, 'id' | 'maxKeys'>,
  { keysPerAccount }: KeyRules,
): Promise<void> {
  const max = maxKeys ?? keysPerAccount;
  await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`billing keys of ${id}`]);
  const row = await readRow(
    manager,
    keyCountRow,
    'SELECT count(*)::int AS count FROM billing.api_key WHERE account_id = $1 AND deleted_at IS NULL',
    [id],
  );
  if ((row?.count ?? 0) < max) return;
  throw httpError(
    409,
    `This account may have ${max} keys. Delete one, or ask an operator of this service.`,
    null,
    'too_many_keys',
    { max },
  );
}
