import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findProgram,
  freePort,
  type RunningProcess,
  startProcess,
  waitFor,
  TEST_SERVICE_SECRET,
} from '@tollgate/harness';
import { askExport, type At, download, ended, exported, readManifest } from './exports.ts';
import { signIn } from './people.ts';
import type { TestEnvironment } from './test-environment.ts';

type Database = TestEnvironment['database'];

/** A table and the rows of it that somebody writes down. */
type Rows = readonly [table: 'export_part' | 'export_draft', condition: string];

/** The built service as a process of its own, which can be killed. */
async function startBillingProcess(
  environment: TestEnvironment,
  env: Readonly<Record<string, string>>,
  logFile: string,
): Promise<{ url: string; process: RunningProcess }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const process = startProcess({
    name: 'billing',
    script: findProgram('billing', 'main'),
    logFile,
    env: {
      ...env,
      SERVICE_SECRETS: TEST_SERVICE_SECRET,
      PORT: String(port),
      TCP_PORT: String(await freePort()),
      PRICING_TCP_URL: `tcp://127.0.0.1:${await freePort()}`,
      DATABASE_URL: environment.serviceDatabaseUrl('billing'),
      REDIS_URL: environment.redisServer.url,
      SESSION_SECRET: randomBytes(32).toString('hex'),
    },
  });
  const ready = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await waitFor(ready, 'billing', 20_000);
  return { url, process };
}

/** Whatever writes such a row waits so long for each. @returns what ends it. */
export async function delayAt(
  database: Database,
  [table, condition]: Rows,
  seconds: number,
): Promise<() => Promise<void>> {
  await database.query(`CREATE FUNCTION billing.hold_row() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN PERFORM pg_sleep(${seconds}); RETURN NEW; END $$`);
  await database.query(`CREATE TRIGGER hold_row BEFORE INSERT ON billing.${table}
    FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION billing.hold_row()`);
  return () => database.query('DROP FUNCTION billing.hold_row() CASCADE');
}

/** No export writes this row before it is killed; what waits for it is ended, not let go on. */
async function holdAt(database: Database, rows: Rows): Promise<() => Promise<void>> {
  const letGo = await delayAt(database, rows, 120);
  return async () => {
    await database.query(
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE wait_event = 'PgSleep' AND datname = current_database()`,
    );
    await letGo();
  };
}

async function isHeld(database: Database): Promise<boolean> {
  const held: unknown[] = await database.query(
    `SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`,
  );
  return held.length > 0;
}

/** Asks a billing for an export, and kills it where it writes down such a row. @returns the export’s id. */
export async function killExportAt(
  environment: TestEnvironment,
  env: Readonly<Record<string, string>>,
  rows: Rows,
  request: object,
): Promise<string> {
  const { database } = environment;
  const logs = mkdtempSync(join(tmpdir(), 'tollgate-killed-'));
  const { url, process } = await startBillingProcess(environment, env, join(logs, 'billing.log'));
  const owner = { url, cookie: await signIn(url, 'owner@billing.example') };
  const letGo = await holdAt(database, rows);
  const { id } = await askExport(owner, request);
  await waitFor(() => isHeld(database), 'the row of an export', 60_000, 5);
  // In one go, or it would be started again.
  process.kill();
  await process.stop();
  await letGo();
  // As if its lease had lapsed: one that is short enough to wait for lapses where a machine stands still, too.
  await database.query(
    `UPDATE billing.export_job SET heartbeat_at = now() - interval '1 day' WHERE id = $1`,
    [id],
  );
  rmSync(logs, { recursive: true, force: true });
  return id;
}

/** An export has the bytes of one that nobody was killed at. @returns the names of its files. */
export async function expectSameBytes(
  at: At,
  id: string,
  request: object,
  rows: number,
): Promise<readonly string[]> {
  expect(await ended(at, id)).toMatchObject({ status: 'done', rows: { done: rows, of: rows } });
  const { manifest } = await exported(at, request);
  expect(await readManifest(at, id)).toEqual(manifest);
  for (const [index, { sha256 }] of manifest.files.entries()) {
    const { bytes } = await download(at, id, index + 1);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  }
  return manifest.files.map(({ name }) => name);
}
