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

/** Asks a billing for an export, and kills it where it writes down such a row. @returns the export’s id. */
async function killAt(
  where: readonly [table: 'export_part' | 'export_draft', condition: string],
  format: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { url, process } = await startBillingProcess(more);
  const owner = { url, cookie: await signIn(url, 'owner@billing.example') };
  const letGo = await holdAt(...where);
  const { id } = await askExport(owner, { kind: 'usage', format, ...span });
  await waitFor(isHeld, 'the row of an export', 60_000, 5);
  // In one go, or it would be started again.
  process.kill();
  await process.stop();
  await letGo();
  return id;
}

/** An export has the bytes of one that nobody was killed at. @returns the names of its files. */
async function expectSameBytes(at: At, id: string, format: string): Promise<string[]> {
  expect(await ended(at, id)).toMatchObject({ status: 'done', rows: { done: ROWS, of: ROWS } });
  const { manifest } = await exported(at, { kind: 'usage', format, ...span });
  expect(await readManifest(at, id)).toEqual(manifest);
  for (const [index, { sha256 }] of manifest.files.entries()) {
    const { bytes } = await download(at, id, index + 1);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  }
  return manifest.files.map(({ name }) => name);
}

test.each(['csv', 'parquet'])(
  'an export in %s whose billing is killed goes on where it was, to the same bytes',
  async (format) => {
    const id = await killAt(['export_part', 'NEW.part >= 4'], format);
    expect(await filesWritten(id)).toBe(3);
    const [killed]: { status: string; attempts: number }[] = await environment.database.query(
      'SELECT status, attempts FROM billing.export_job WHERE id = $1',
      [id],
    );
    expect(killed?.status).toBe('running');
    const before: { part: number; xmin: string }[] = await environment.database.query(
      'SELECT part, xmin::text FROM billing.export_part WHERE job_id = $1 ORDER BY part',
      [id],
    );
    await withBilling(async (at) => {
      await expectSameBytes(at, id, format);
      const after: { part: number; xmin: string }[] = await environment.database.query(
        'SELECT part, xmin::text FROM billing.export_part WHERE job_id = $1 ORDER BY part',
        [id],
      );
      // What was complete was not written again.
      expect(after.slice(0, before.length)).toEqual(before);
      expect(before.length).toBeLessThan(ROWS / PART_ROWS);
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
    const id = await killAt(['export_draft', `NEW.rows = ${ROWS}`], 'csv', partRows);
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
      const names = await expectSameBytes(at, id, 'csv');
      expect(readdirSync(join(directory, id)).sort()).toEqual(['manifest.json', ...names]);
      expect(
        await environment.database.query('SELECT attempts FROM billing.export_job WHERE id = $1', [id]),
      ).toEqual([{ attempts }]);
    }, partRows);
  },
  180_000,
);

test('what another release has written of an export is begun again', async () => {
  const partRows = { EXPORT_PART_ROWS: String(ROWS / 2) };
  const id = await killAt(['export_draft', `NEW.part = 2 AND NEW.rows = ${ROWS / 2}`], 'csv', partRows);
  for (const table of ['export_part', 'export_draft'] as const) await writeAsBefore(table, id);
  await withBilling(async (at) => {
    expect(await expectSameBytes(at, id, 'csv')).toHaveLength(2);
  }, partRows);
}, 180_000);

/** Has a file, or what there is of one, other bytes, as the release before wrote it, which named no generator. */
async function writeAsBefore(table: 'export_part' | 'export_draft', id: string): Promise<void> {
  const { database } = environment;
  const [row]: { name: string; bytes: string }[] = await database
    .query(`UPDATE billing.${table} SET generator = NULL WHERE job_id = $1 RETURNING name, bytes`, [id])
    .then(([rows]: [{ name: string; bytes: string }[]]) => rows);
  const file = readdirSync(join(directory, id)).find((each) => each.startsWith(row?.name ?? '-'));
  const path = join(directory, id, file ?? '');
  const bytes = readFileSync(path).fill('x', 2_000, 2_001);
  writeFileSync(path, bytes);
  const sha256 = createHash('sha256')
    .update(bytes.subarray(0, Number(row?.bytes)))
    .digest('hex');
  await database.query(`UPDATE billing.${table} SET sha256 = $2 WHERE job_id = $1`, [id, sha256]);
}

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
