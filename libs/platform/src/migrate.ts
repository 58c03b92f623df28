import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { DataSource, MigrationInterface } from 'typeorm';
import { z } from 'zod';
import { admitServiceRole } from './service-role.ts';
import { column, hasRows, OLDEST_POSTGRES, readRows, requireRow, type SqlRunner } from './sql.ts';

type Migration = new () => MigrationInterface;
/** In the order in which they are run; the first is the baseline. */
export type Migrations = readonly [Migration, ...Migration[]];

/** `<number>-<name>.ts`, or what the build makes of it. */
const MIGRATION_FILE = /^(\d+)-[\w-]+\.[jt]s$/;

/** In between, those who waited for a table have their turn. */
const PAUSE_MS = 500;
const TRIES = 200;
const LOCK_NOT_AVAILABLE = '55P03';

/** Of a database that is still starting, or whose name is not known yet. */
const NOT_THERE_YET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  '57P03',
]);
const DATABASE_WAIT_MS = 60_000;

/** The migrations that stand in a folder, each in a file of its own, in the order of the files' numbers. */
export async function loadMigrations(folder: string): Promise<Migrations> {
  const files = (await readdir(folder))
    .flatMap((name) => {
      const [, number] = MIGRATION_FILE.exec(name) ?? [];
      return number === undefined ? [] : [{ name, number: Number(number) }];
    })
    .sort((one, other) => one.number - other.number);
  const [first, ...later] = await Promise.all(files.map(({ name }) => loadMigration(join(folder, name))));
  if (!first) throw new Error(`There are no migrations in ${folder}: build the service again.`);
  return [first, ...later];
}

async function loadMigration(path: string): Promise<Migration> {
  const [migration, ...others] = Object.values(
    (await import(pathToFileURL(path).href)) as object,
  ) as unknown[];
  if (typeof migration !== 'function' || others.length > 0)
    throw new Error(`${path} must export its migration, and nothing else.`);
  return migration as Migration;
}

/**
 * Brings a schema up to date; several at once take turns. The services of the release before may be running: a migration
 * whose table somebody holds for longer than the `lock_timeout` of the connection is rolled back and tried again.
 */
export async function migrateSchemas(
  database: DataSource,
  settings: {
    /** The first is the one that the migrations are written down in. */
    readonly schemas: readonly [string, ...string[]];
    readonly migrations: Migrations;
    /** Whoever migrates holds the advisory lock of this number. */
    readonly lock: number;
    /** What the service connects with, where it has a role of its own. */
    readonly serviceUrl: string | undefined;
  },
): Promise<void> {
  const { schemas, migrations, lock, serviceUrl } = settings;
  const [schema] = schemas;
  await connectPatiently(database);
  const runner = database.createQueryRunner();
  try {
    await requirePostgres(runner);
    await runner.query('SET lock_timeout = 0');
    await runner.query('SELECT pg_advisory_lock($1)', [lock]);
    // Who may make none finds it made: so a service's own role can seed what is up to date.
    if (!(await hasRows(runner, 'SELECT FROM pg_namespace WHERE nspname = $1', [schema])))
      await runner.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await requireBaseline(runner, schema, migrations[0].name);
    await runPatiently(database);
    if (serviceUrl) await admitServiceRole(runner, schemas, serviceUrl);
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [lock]);
    await runner.release();
    await database.destroy();
  }
}

/**
 * A database that starts together with whoever migrates it is waited for, which is said.
 *
 * @throws once it was not there for `waitMs`.
 */
export async function connectPatiently(database: DataSource, waitMs = DATABASE_WAIT_MS): Promise<void> {
  const until = performance.now() + waitMs;
  for (let said = false; ; said = true) {
    try {
      await database.initialize();
      return;
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (typeof code !== 'string' || !NOT_THERE_YET.has(code)) throw error;
      if (performance.now() > until)
        throw new Error(
          `PostgreSQL was not there for ${Math.round(waitMs / 1_000)} seconds (${code}). See that it runs and that DATABASE_URL names it.`,
          { cause: error },
        );
      if (!said) process.stderr.write(`Waiting for PostgreSQL (${code})\n`);
      await sleep(PAUSE_MS);
    }
  }
}

async function runPatiently(database: DataSource): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await database.runMigrations({ transaction: 'each' });
      return;
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code !== LOCK_NOT_AVAILABLE || tries === TRIES) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

const serverRow = z.object({ version: column.text, is_known: column.boolean });

/** Refuses a server whose SQL is not that of the migrations, before one of them fails half-way. */
export async function requirePostgres(runner: SqlRunner): Promise<void> {
  const { version, is_known: isKnown } = await requireRow(
    runner,
    serverRow,
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int >= $1 AS is_known`,
    [OLDEST_POSTGRES * 10_000],
  );
  if (!isKnown)
    throw new Error(
      `PostgreSQL is ${version}, and must be ${OLDEST_POSTGRES} or newer. Nothing was changed.`,
    );
}

const migrationRow = z.object({ name: column.text });

/**
 * Refuses a schema that was made by the migrations there were before all of them became one, the baseline: it has tables
 * already, and the baseline would make them again.
 *
 * @param baseline the name of the first migration there is.
 */
async function requireBaseline(runner: SqlRunner, schema: string, baseline: string): Promise<void> {
  if (!(await hasRows(runner, 'SELECT WHERE to_regclass($1) IS NOT NULL', [`${schema}.migration`]))) return;
  const made = await readRows(runner, migrationRow, `SELECT name FROM ${schema}.migration`);
  if (made.length > 0 && !made.some(({ name }) => name === baseline))
    throw new Error(
      `The schema "${schema}" of this database was made before its migrations became one baseline. Nothing was changed. ` +
        'Carry the database over as docs/upgrade.md says under "A database from before the baseline", ' +
        'run the version that made it, or take an empty database.',
    );
}
