import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

async function withBilling(
  work: (owner: At) => Promise<void>,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const billing = await startBillingOn(environment, { ...env(), ...more });
  try {
    await work({ url: billing.url, cookie: await signIn(billing.url, 'owner@billing.example') });
  } finally {
    await billing.stop();
  }
}

/** The built service as a process of its own, which can be killed. */
async function startBillingProcess(
  more: Readonly<Record<string, string>> = {},
): Promise<{ url: string; process: RunningProcess }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const process = startProcess({
    name: 'billing',
    script: findProgram('billing', 'main'),
    logFile: join(directory, 'billing.log'),
    env: {
      ...env(),
      ...more,
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

/** Whatever writes such a row waits so long for each. */
async function delayAt(
  table: 'export_part' | 'export_draft',
  condition: string,
  seconds: number,
): Promise<() => Promise<void>> {
  const { database } = environment;
  await database.query(`CREATE FUNCTION billing.hold_row() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN PERFORM pg_sleep(${seconds}); RETURN NEW; END $$`);
  await database.query(`CREATE TRIGGER hold_row BEFORE INSERT ON billing.${table}
    FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION billing.hold_row()`);
  return () => database.query('DROP FUNCTION billing.hold_row() CASCADE');
}

const delayFromPart = (part: number, seconds: number): Promise<() => Promise<void>> =>
  delayAt('export_part', `NEW.part >= ${part}`, seconds);

/** No export writes this row before it is killed; what waits for it is ended, not let go on. */
async function holdAt(...where: [table: 'export_part' | 'export_draft', condition: string]) {
  const { database } = environment;
  const letGo = await delayAt(...where, 120);
  return async () => {
    await database.query(
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE wait_event = 'PgSleep' AND datname = current_database()`,
    );
    await letGo();
  };
}

const isHeld = async (): Promise<boolean> => {
  const held: unknown[] = await environment.database.query(
    `SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`,
  );
  return held.length > 0;
};

test.each(['csv', 'parquet'])(
  'an export in %s whose billing is killed goes on where it was, to the same bytes',
  async (format) => {
    const { url, process } = await startBillingProcess();
    const owner = { url, cookie: await signIn(url, 'owner@billing.example') };
    const letGo = await holdAt('export_part', 'NEW.part >= 4');
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

test.each([
  ['goes on within it', 2],
  ['begins it again, as it is damaged,', 3],
])(
  'an export whose billing is killed within a file %s to the same bytes',
  async (_what, attempts) => {
    const partRows = { EXPORT_PART_ROWS: String(ROWS) };
    const { url, process } = await startBillingProcess(partRows);
    const owner = { url, cookie: await signIn(url, 'owner@billing.example') };
    const letGo = await holdAt('export_draft', `NEW.rows = ${ROWS}`);
    const { id } = await askExport(owner, { kind: 'usage', format: 'csv', ...span });
    await waitFor(isHeld, 'the end of its file', 60_000, 20);
    process.kill();
    await process.stop();
    await letGo();
    const [draft]: { rows: string }[] = await environment.database.query(
      'SELECT rows FROM billing.export_draft WHERE job_id = $1',
      [id],
    );
    expect(Number(draft?.rows)).toBeGreaterThan(ROWS / 2);
    const [file = '', ...others] = readdirSync(join(directory, id));
    expect([file.endsWith('.unfinished'), others]).toEqual([true, []]);
    const path = join(directory, id, file);
    if (attempts === 3) writeFileSync(path, readFileSync(path).fill('x', 2_000, 2_001));
    await withBilling(async (at) => {
      expect(await ended(at, id)).toMatchObject({ status: 'done', rows: { done: ROWS, of: ROWS } });
      const { manifest } = await exported(at, { kind: 'usage', format: 'csv', ...span });
      expect(await readManifest(at, id)).toEqual(manifest);
      const { bytes } = await download(at, id, 1);
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(manifest.files[0]?.sha256);
      expect(readdirSync(join(directory, id)).sort()).toEqual(['manifest.json', manifest.files[0]?.name]);
      expect(
        await environment.database.query('SELECT attempts FROM billing.export_job WHERE id = $1', [id]),
      ).toEqual([{ attempts }]);
    }, partRows);
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
