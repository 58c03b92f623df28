import { DataSource } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.ts';
import { UserEntity } from '../accounts/user.entity.ts';
import { SessionEntity } from '../auth/session.entity.ts';
import { ApiKeyEntity } from '../keys/api-key.entity.ts';
import { MIGRATIONS } from './migrations/index.ts';

/** @param limits how long a statement may take, and wait for a lock, in milliseconds; 0 is for ever. */
export const createDataSource = (
  url: string,
  limits: { readonly statement_timeout: number; readonly lock_timeout?: number } = {
    statement_timeout: 60_000,
  },
): DataSource =>
  new DataSource({
    type: 'postgres',
    url,
    schema: 'billing',
    entities: [AccountEntity, UserEntity, SessionEntity, ApiKeyEntity],
    migrations: MIGRATIONS,
    migrationsTableName: 'migration',
    applicationName: 'tollgate-billing',
    poolSize: 12,
    extra: limits,
  });
