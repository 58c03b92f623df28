import { join } from 'node:path';
import { loadMigrations, type Migrations, migrateSchemas } from '@tollgate/platform/process';
import { createDataSource } from './data-source.ts';

const LOCK = 7_302_001;
/** So long a migration waits for a table, and everybody who comes after it for the same table waits with it. */
const TABLE_WAIT_MS = 1_000;

export const MIGRATIONS = await loadMigrations(join(import.meta.dirname, 'migrations'));

/**
 * Brings the schema up to date.
 *
 * @param serviceUrl what the service connects with, where it has a role of its own.
 */
export async function migrate(
  url: string,
  serviceUrl?: string,
  migrations: Migrations = MIGRATIONS,
): Promise<void> {
  const pool = { poolSize: 2, statement_timeout: 0, lock_timeout: TABLE_WAIT_MS };
  await migrateSchemas(createDataSource(url, pool, migrations), {
    schemas: ['billing', 'billing_archive'],
    migrations,
    lock: LOCK,
    serviceUrl,
  });
}
