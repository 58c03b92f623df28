import { setTimeout as sleep } from 'node:timers/promises';
import { admitServiceRole, requireBaseline } from '@tollgate/platform/process';
import { type DataSource, QueryFailedError } from 'typeorm';
import { createDataSource } from './data-source.ts';
import { MIGRATIONS, type Migrations } from './migrations/index.ts';

const LOCK = 7_302_001;
/** So long a migration waits for a table, and everybody who comes after it for the same table waits with it. */
const TABLE_WAIT_MS = 1_000;
/** In between, those who waited have their turn. */
const PAUSE_MS = 500;
const TRIES = 200;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Brings the schema up to date; several at once take turns. The services of the release before may be running.
 *
 * @param serviceUrl what the service connects with, where it has a role of its own.
 */
export async function migrate(
  url: string,
  serviceUrl?: string,
  migrations: Migrations = MIGRATIONS,
): Promise<void> {
  const pool = { poolSize: 2, statement_timeout: 0, lock_timeout: TABLE_WAIT_MS };
  const dataSource = await createDataSource(url, pool, migrations).initialize();
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('SET lock_timeout = 0');
    await runner.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await runner.query('CREATE SCHEMA IF NOT EXISTS billing');
    await requireBaseline(runner, 'billing', MIGRATIONS[0].name);
    await runPatiently(dataSource);
    if (serviceUrl) await admitServiceRole(runner, ['billing', 'billing_archive'], serviceUrl);
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [LOCK]);
    await runner.release();
    await dataSource.destroy();
  }
}

/** A migration whose table somebody holds is rolled back and tried again. */
async function runPatiently(dataSource: DataSource): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await dataSource.runMigrations({ transaction: 'each' });
      return;
    } catch (error) {
      const code = error instanceof QueryFailedError && (error.driverError as { code?: string }).code;
      if (code !== LOCK_NOT_AVAILABLE || tries === TRIES) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
