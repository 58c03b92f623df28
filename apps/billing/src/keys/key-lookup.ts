import type { KeyRecord } from '@tollgate/contracts';
import type { DataSource } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.ts';
import { ApiKeyEntity } from './api-key.entity.ts';
import { findFormerSecret } from './former-secrets.ts';
import { toKeyRecord } from './key-record.ts';

/** The record of the key with this hash, or null when there is none (any more). */
export async function lookUpKey(database: DataSource, keyHash: string): Promise<KeyRecord | null> {
  const keys = database.getRepository(ApiKeyEntity);
  const current = await keys.findOneBy({ keyHash });
  const former = current ? undefined : await findFormerSecret(database, keyHash);
  const key = current ?? (former ? await keys.findOneBy({ id: former.keyId }) : null);
  if (!key || key.deletedAt !== null) return null;
  const account = await database.getRepository(AccountEntity).findOneByOrFail({ id: key.accountId });
  return former ? toKeyRecord(key, account, former) : toKeyRecord(key, account);
}
