import { join } from 'node:path';
import { loadMigrations, type Migrations, migrateSchemas } from '@tollgate/platform/process';
import { createDataSource } from './data-source.ts';

const LOCK = 7_301_001;

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
  await migrateSchemas(createDataSource(url, migrations), {
    schemas: ['pricing'],
    migrations,
    lock: LOCK,
    serviceUrl,
  });
}
