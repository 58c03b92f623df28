import { DataSource } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.ts';
import { UserEntity } from '../accounts/user.entity.ts';
import { SessionEntity } from '../auth/session.entity.ts';
import { ApiKeyEntity } from '../keys/api-key.entity.ts';
import { MIGRATIONS } from './migrations/index.ts';

export const createDataSource = (url: string): DataSource =>
  new DataSource({
    type: 'postgres',
    url,
    schema: 'billing',
    entities: [AccountEntity, UserEntity, SessionEntity, ApiKeyEntity],
    migrations: MIGRATIONS,
    migrationsTableName: 'migration',
    applicationName: 'tollgate-billing',
    poolSize: 12,
    extra: { statement_timeout: 60_000 },
  });
