import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@tollgate/harness';
import { startBillingOn } from '../../testing/billing-service.ts';
import { syntheticSpan, fillSyntheticLedger } from '../../testing/synthetic-ledger.ts';
import { askExport, type At, download, ended, seeExport } from '../../testing/exports.ts';
import { delayAt, expectSameBytes, killExportAt } from '../../testing/killed-exports.ts';
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

const env = () => ({ EXPORT_DIR: directory, EXPORT_PART_ROWS: String(PART_ROWS) });

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

const filesWritten = async (id: string): Promise<number> => {
  const [row]: { count: string }[] = await environment.database.query(
    'SELECT count(*) FROM billing.export_part WHERE job_id = $1',
    [id],
  );
  return Number(row?.count);
};

const usage = (format: string) => ({ kind: 'usage', format, ...span });

const killAt = (
  rows: Parameters<typeof killExportAt>[2],
  format: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> => killExportAt(environment, { ...env(), ...more }, rows, usage(format));

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
      await expectSameBytes(at, id, usage(format), ROWS);
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
      const names = await expectSameBytes(at, id, usage('csv'), ROWS);
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
    expect(await expectSameBytes(at, id, usage('csv'), ROWS)).toHaveLength(2);
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
  const letGo = await delayAt(environment.database, ['export_part', 'NEW.part >= 2'], 0.5);
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
  const letGo = await delayAt(environment.database, ['export_part', 'NEW.part >= 2'], 0.5);
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
