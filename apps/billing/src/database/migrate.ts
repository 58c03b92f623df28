import { createDataSource } from './data-source.ts';

const LOCK = 7_302_001;

/** Brings the schema up to date; several at once take turns. */
export async function migrate(url: string): Promise<void> {
  const dataSource = await createDataSource(url).initialize();
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await runner.query('CREATE SCHEMA IF NOT EXISTS billing');
    await dataSource.runMigrations({ transaction: 'each' });
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [LOCK]);
    await runner.release();
    await dataSource.destroy();
  }
}
