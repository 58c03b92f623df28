import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { waitFor } from '@tollgate/harness';
import { type RunningBilling, startBillingOn } from '../../../testing/billing-service.ts';
import { syntheticSpan, fillSyntheticLedger } from '../../../testing/synthetic-ledger.ts';
import { askExport, type At, download, ended, exported } from '../../../testing/exports.ts';
import { expectSameBytes, killExportAt } from '../../../testing/killed-exports.ts';
import { ObjectStore } from '../../../testing/object-store.ts';
import { type TestEnvironment, startTestEnvironment } from '../../../testing/test-environment.ts';
import { call, signIn } from '../../../testing/people.ts';

const ROWS = 35_000;
const span = syntheticSpan(ROWS);
const usage = (format: string) => ({ kind: 'usage', format, ...span });

let environment: TestEnvironment;
let store: ObjectStore;
beforeAll(async () => {
  environment = await startTestEnvironment();
  await fillSyntheticLedger(environment.database, ROWS);
  store = await ObjectStore.start();
}, 120_000);
beforeEach(() => {
  store.sent.length = 0;
});
afterAll(async () => {
  await store.stop();
  await environment.stop();
});

const env = (partRows: number) => ({
  ...store.env,
  EXPORT_PART_ROWS: String(partRows),
});

/** A billing of these settings, and who reads its books. */
async function withBilling(partRows: number, work: (owner: At) => Promise<void>): Promise<void> {
  const billing: RunningBilling = await startBillingOn(environment, env(partRows));
  try {
    await work({ url: billing.url, cookie: await signIn(billing.url, 'owner@billing.example') });
  } finally {
    await billing.stop();
  }
}

test('files of several uploads are in the bucket whole, and come back in ranges', async () => {
  await withBilling(30_000, async (owner) => {
    const { job, manifest } = await exported(owner, usage('csv'));
    expect(manifest.files.map(({ rows }) => rows)).toEqual([30_000, 5_000]);
    // More than one part of an upload.
    expect(manifest.files[0]?.bytes).toBeGreaterThan(8 * 1024 * 1024);
    for (const [index, file] of manifest.files.entries()) {
      const { bytes } = await download(owner, job.id, index + 1);
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256);
      const part = await download(owner, job.id, index + 1, { range: 'bytes=9-1008' });
      expect(part.status).toBe(206);
      expect(part.bytes.equals(bytes.subarray(9, 1_009))).toBe(true);
    }
    expect([store.objects(job.id), store.uploads(job.id)]).toEqual([
      ['manifest.json', ...manifest.files.map(({ name }) => name)],
      [],
    ]);
  });
}, 120_000);

/** Kills a billing at the last draft of a file that has all rows. */
const killWithin = (format: string): Promise<string> =>
  killExportAt(environment, env(ROWS), ['export_draft', `NEW.rows > ${ROWS * 0.85}`], usage(format));

const attempts = async (id: string): Promise<unknown> =>
  environment.database
    .query('SELECT attempts FROM billing.export_job WHERE id = $1', [id])
    .then(([row]: { attempts: number }[]) => row?.attempts);

// JSON Lines are more than an upload part; Parquet of as many rows is less, so that all of it is kept beside the file.
test.each(['jsonl', 'parquet'])(
  'an export in %s whose billing is killed within a file goes on within it, to the same bytes',
  async (format) => {
    const id = await killWithin(format);
    const [draft]: { rows: string; bytes: string; upload: { id: string | null; etags: string[] } }[] =
      await environment.database.query(
        'SELECT rows, bytes, upload FROM billing.export_draft WHERE job_id = $1',
        [id],
      );
    expect(Number(draft?.rows)).toBeGreaterThan(ROWS / 2);
    const whole = Math.floor(Number(draft?.bytes) / (8 * 1024 * 1024));
    expect([draft?.upload.etags.length, store.uploads(id)]).toEqual([
      whole,
      whole > 0 ? [draft?.upload.id] : [],
    ]);
    if (format === 'jsonl') expect(whole).toBeGreaterThan(1);
    store.sent.length = 0;
    await withBilling(ROWS, async (owner) => {
      const [name = ''] = await expectSameBytes(owner, id, usage(format), ROWS);
      expect([store.objects(id), store.uploads(id)]).toEqual([['manifest.json', name], []]);
      const sent = store.sent.filter((part) => part.startsWith(id));
      expect(sent.filter((part) => Number(part.split('#')[1]) <= whole)).toEqual([]);
      expect(await attempts(id)).toBe(2);
    });
  },
  180_000,
);

test('an export whose billing is killed within a file begins it again where what is kept beside it is damaged', async () => {
  const id = await killWithin('jsonl');
  for (const name of store.objects(id)) {
    const path = store.pathOf(id, name);
    writeFileSync(path, readFileSync(path).fill('x', 9, 10));
  }
  await withBilling(ROWS, async (owner) => {
    const [name = ''] = await expectSameBytes(owner, id, usage('jsonl'), ROWS);
    expect([store.objects(id), store.uploads(id)]).toEqual([['manifest.json', name], []]);
    expect(await attempts(id)).toBe(3);
  });
}, 180_000);

test('an export that is cancelled after its billing was killed leaves neither objects nor uploads', async () => {
  const id = await killWithin('jsonl');
  expect(store.uploads(id)).toHaveLength(1);
  // A store that lists no uploads: its books name it.
  store.lists = 'nothing';
  await withBilling(ROWS, async (owner) => {
    expect((await call(owner, 'DELETE', `/api/exports/${id}`)).status).toBe(204);
    await waitFor(() => store.objects(id).length === 0, 'the end of its files');
    expect(store.uploads(id)).toEqual([]);
    expect(
      await environment.database.query('SELECT FROM billing.export_draft WHERE job_id = $1', [id]),
    ).toEqual([]);
  });
  store.lists = 'prefix';
}, 120_000);

test('files before the one that a billing was killed at are not written again', async () => {
  const partRows = 30_000;
  const id = await killExportAt(
    environment,
    env(partRows),
    ['export_part', 'NEW.part = 2'],
    usage('parquet'),
  );
  const listParts = (): Promise<{ part: number; xmin: string }[]> =>
    environment.database.query(
      'SELECT part, xmin::text FROM billing.export_part WHERE job_id = $1 ORDER BY part',
      [id],
    );
  const [first] = await listParts();
  await withBilling(partRows, async (owner) => {
    await expectSameBytes(owner, id, usage('parquet'), ROWS);
    expect(await listParts()).toEqual([first, { part: 2, xmin: expect.any(String) }]);
  });
}, 120_000);

test('a file that is gone from the bucket is said to be so', async () => {
  await withBilling(ROWS, async (owner) => {
    const { job } = await exported(owner, { kind: 'usage', format: 'csv', ...syntheticSpan(10) });
    rmSync(dirname(store.pathOf(job.id, 'manifest.json')), { recursive: true });
    expect((await download(owner, job.id)).status).toBe(410);
  });
}, 120_000);

test('an export that is cancelled while it is written leaves neither objects nor uploads', async () => {
  await withBilling(10_000, async (owner) => {
    const job = await askExport(owner, { kind: 'usage', format: 'jsonl', ...span });
    await waitFor(() => store.objects(job.id).length > 0, 'the first object', 30_000, 5);
    expect((await call(owner, 'DELETE', `/api/exports/${job.id}`)).status).toBe(204);
    expect((await ended(owner, job.id)).status).toBe('cancelled');
    const left = () => [...store.objects(job.id), ...store.uploads(job.id)];
    await waitFor(() => left().length === 0, 'the end of its files');
  });
}, 120_000);
