import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
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
import { startBillingOn } from '../../testing/billing-service.ts';
import { syntheticSpan, fillSyntheticLedger } from '../../testing/synthetic-ledger.ts';
import {
  askExport,
  type At,
  download,
  ended,
  exported,
  readManifest,
  seeExport,
} from '../../testing/exports.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { call, signIn } from '../../testing/people.ts';

/** Twelve files, of which some are left when the first are there. */
const ROWS = 6_000;
const PART_ROWS = 500;
const span = syntheticSpan(ROWS);

let environment: TestEnvironment;
let directory: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  await fillSyntheticLedger(environment.database, ROWS);
  directory = mkdtempSync(join(tmpdir(), 'tollgate-exports-'));
}, 120_000);
afterAll(async () => {
  await environment.stop();
  rmSync(directory, { recursive: true, force: true });
});

const env = () => ({ EXPORT_DIR: directory, EXPORT_PART_ROWS: String(PART_ROWS), EXPORT_LEASE_S: '3' });

async function withBilling(work: (owner: At) => Promise<void>): Promise<void> {
  const billing = await startBillingOn(environment, env());
  try {
    await work({ url: billing.url, cookie: await signIn(billing.url, 'owner@billing.example') });
  } finally {
    await billing.stop();
  }
}

/** The built service as a process of its own, which can be killed. */
async function startBillingProcess(): Promise<{ url: string; process: RunningProcess }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const process = startProcess({
    name: 'billing',
    script: findProgram('billing', 'main'),
    logFile: join(directory, 'billing.log'),
    env: {
      ...env(),
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

const filesWritten = async (id: string): Promise<number> => {
  const [row]: { count: string }[] = await environment.database.query(
    'SELECT count(*) FROM billing.export_part WHERE job_id = $1',
    [id],
  );
  return Number(row?.count);
};

/** Whatever writes this file, and those after it, waits so long for each. */
async function delayFromPart(part: number, seconds: number): Promise<() => Promise<void>> {
  const { database } = environment;
  await database.query(`CREATE FUNCTION billing.hold_part() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN PERFORM pg_sleep(${seconds}); RETURN NEW; END $$`);
  await database.query(`CREATE TRIGGER hold_part BEFORE INSERT ON billing.export_part
    FOR EACH ROW WHEN (NEW.part >= ${part}) EXECUTE FUNCTION billing.hold_part()`);
  return () => database.query('DROP FUNCTION billing.hold_part() CASCADE');
}

/** No export writes this file before it is killed; what waits for it is ended, not let go on. */
async function holdAtPart(part: number): Promise<() => Promise<void>> {
  const { database } = environment;
  const letGo = await delayFromPart(part, 120);
  return async () => {
    await database.query(
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE wait_event = 'PgSleep' AND datname = current_database()`,
    );
    await letGo();
  };
}

test.each(['csv', 'parquet'])(
  'an export in %s whose billing is killed goes on where it was, to the same bytes',
  async (format) => {
    const { url, process } = await startBillingProcess();
    const owner = { url, cookie: await signIn(url, 'owner@billing.example') };
    const letGo = await holdAtPart(4);
    const job = await askExport(owner, { kind: 'usage', format, ...span });
    await waitFor(async () => (await filesWritten(job.id)) === 3, 'the first files', 30_000, 5);
    // In one go, or it would be started again.
    process.kill();
    await process.stop();
    await letGo();
    const [killed]: { status: string; attempts: number }[] = await environment.database.query(
      'SELECT status, attempts FROM billing.export_job WHERE id = $1',
      [job.id],
    );
    expect(killed?.status).toBe('running');
    const before: { part: number; xmin: string }[] = await environment.database.query(
      'SELECT part, xmin::text FROM billing.export_part WHERE job_id = $1 ORDER BY part',
      [job.id],
    );
    await withBilling(async (at) => {
      const resumed = await ended(at, job.id);
      expect(resumed).toMatchObject({ status: 'done', rows: { done: ROWS, of: ROWS } });
      const after: { part: number; xmin: string }[] = await environment.database.query(
        'SELECT part, xmin::text FROM billing.export_part WHERE job_id = $1 ORDER BY part',
        [job.id],
      );
      // What was complete was not written again.
      expect(after.slice(0, before.length)).toEqual(before);
      expect(before.length).toBeLessThan(ROWS / PART_ROWS);
      const { job: whole, manifest } = await exported(at, { kind: 'usage', format, ...span });
      expect(await readManifest(at, job.id)).toEqual(manifest);
      for (let part = 1; part <= manifest.files.length; part += 1) {
        const [one, other] = await Promise.all([download(at, job.id, part), download(at, whole.id, part)]);
        expect(one.bytes.equals(other.bytes)).toBe(true);
      }
    });
  },
  180_000,
);

test('a billing that ends in order gives its exports to the next one, which is no failed attempt', async () => {
  let id = '';
  const letGo = await delayFromPart(2, 0.5);
  await withBilling(async (owner) => {
    ({ id } = await askExport(owner, { kind: 'ledger', format: 'csv', ...span }));
    await waitFor(async () => (await filesWritten(id)) >= 1, 'the first file', 30_000, 5);
  });
  await letGo();
  const [left]: { status: string; attempts: number }[] = await environment.database.query(
    'SELECT status, attempts FROM billing.export_job WHERE id = $1',
    [id],
  );
  expect(left).toEqual({ status: 'queued', attempts: 0 });
  await withBilling(async (owner) => {
    expect((await ended(owner, id)).status).toBe('done');
  });
}, 180_000);

test('an export that is cancelled ends, and its files are gone', async () => {
  let id = '';
  const letGo = await delayFromPart(2, 0.5);
  await withBilling(async (owner) => {
    ({ id } = await askExport(owner, { kind: 'ledger', format: 'parquet', ...span }));
    await waitFor(async () => (await filesWritten(id)) >= 1, 'the first file', 30_000, 5);
    expect((await call(owner, 'DELETE', `/api/exports/${id}`)).status).toBe(204);
    expect((await call(owner, 'DELETE', `/api/exports/${id}`)).status).toBe(409);
    expect((await download(owner, id)).status).toBe(409);
    expect((await seeExport(owner, id)).status).toBe('cancelled');
  });
  await letGo();
  // Whoever wrote it took away what it had written meanwhile.
  expect(existsSync(join(directory, id))).toBe(false);
}, 180_000);

test('an export that cannot be written is tried again, and given up in the end', async () => {
  await withBilling(async (owner) => {
    const { id } = await askExport(owner, { kind: 'usage', format: 'csv', ...syntheticSpan(0.01) });
    await ended(owner, id);
    await environment.database.query(
      `UPDATE billing.export_job SET status = 'queued', attempts = 4, kind = 'focus', booked_to = $2 WHERE id = $1`,
      [id, span.to],
    );
    // Nobody answers for prices.
    const failed = await ended(owner, id);
    expect(failed.status).toBe('failed');
    expect(failed.error).not.toBeNull();
  });
}, 180_000);
