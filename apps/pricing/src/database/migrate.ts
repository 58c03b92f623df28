import { admitServiceRole, requireBaseline } from '@tollgate/platform/process';
import { createDataSource } from './data-source.ts';
import { MIGRATIONS, type Migrations } from './migrations/index.ts';

const LOCK = 7_301_001;

/**
 * Brings the schema up to date; several at once take turns.
 *
 * @param serviceUrl what the service connects with, where it has a role of its own.
 */
export async function migrate(
  url: string,
  serviceUrl?: string,
  migrations: Migrations = MIGRATIONS,
): Promise<void> {
  const dataSource = await createDataSource(url, migrations).initialize();
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await runner.query('CREATE SCHEMA IF NOT EXISTS pricing');
    await requireBaseline(runner, 'pricing', MIGRATIONS[0].name);
    await dataSource.runMigrations({ transaction: 'each' });
    if (serviceUrl) await admitServiceRole(runner, ['pricing'], serviceUrl);
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [LOCK]);
    await runner.release();
    await dataSource.destroy();
  }
}
