import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { waitFor } from '@tollgate/harness';
import { type RunningBilling, startBillingOn } from '../../../testing/billing-service.ts';
import { syntheticSpan, fillSyntheticLedger } from '../../../testing/synthetic-ledger.ts';
import { askExport, type At, download, ended, exported, readManifest } from '../../../testing/exports.ts';
import { type TestEnvironment, startTestEnvironment } from '../../../testing/test-environment.ts';
import { call, signIn } from '../../../testing/people.ts';

const ROWS = 35_000;

let environment: TestEnvironment;
let billing: RunningBilling;
let store: S3rver;
let directory: string;
let owner: At;
beforeAll(async () => {
  environment = await startTestEnvironment();
  await fillSyntheticLedger(environment.database, ROWS);
  directory = mkdtempSync(join(tmpdir(), 'tollgate-s3-'));
  store = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'finance' }],
  });
  const { port } = await store.run();
  billing = await startBillingOn(environment, {
    EXPORT_S3_ENDPOINT: `http://127.0.0.1:${port}`,
    EXPORT_S3_BUCKET: 'finance',
    EXPORT_S3_ACCESS_KEY: 'S3RVER',
    EXPORT_S3_SECRET: 'S3RVER',
    EXPORT_S3_PREFIX: 'tollgate/',
    EXPORT_PART_ROWS: '30000',
  });
  owner = { url: billing.url, cookie: await signIn(billing.url, 'owner@billing.example') };
}, 120_000);
afterAll(async () => {
  await billing.stop();
  await store.close();
  await environment.stop();
  rmSync(directory, { recursive: true, force: true });
});

test('files of several uploads are in the bucket whole, and come back in ranges', async () => {
  const { job, manifest } = await exported(owner, { kind: 'usage', format: 'csv', ...syntheticSpan(ROWS) });
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
}, 120_000);

test('what a killed billing has left within a file is begun again, and files before it are not', async () => {
  const { database } = environment;
  const { job, manifest } = await exported(owner, {
    kind: 'usage',
    format: 'parquet',
    ...syntheticSpan(ROWS),
  });
  const { id } = job;
  const listParts = (): Promise<{ part: number; xmin: string }[]> =>
    database.query('SELECT part, xmin::text FROM billing.export_part WHERE job_id = $1 ORDER BY part', [id]);
  const [first, second] = await listParts();
  const objects = join(directory, 'finance', 'tollgate', id);
  for (const name of readdirSync(objects)) if (/part-00002|manifest/.test(name)) rmSync(join(objects, name));
  expect(await database.query('SELECT FROM billing.export_draft WHERE job_id = $1', [id])).toEqual([]);
  await database.query('DELETE FROM billing.export_part WHERE job_id = $1 AND part = 2', [id]);
  await database.query(
    `UPDATE billing.export_job SET status = 'running', manifest = NULL, finished_at = NULL, claimed_by = gen_random_uuid(),
       heartbeat_at = now() - interval '1 hour' WHERE id = $1`,
    [id],
  );
  expect(await ended(owner, id)).toMatchObject({ status: 'done', rows: { done: ROWS } });
  expect(await readManifest(owner, id)).toEqual(manifest);
  const [kept, again] = await listParts();
  expect([kept, again?.part, again?.xmin === second?.xmin]).toEqual([first, 2, false]);
  for (const [index, { sha256 }] of manifest.files.entries()) {
    const { bytes } = await download(owner, id, index + 1);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  }
}, 120_000);

test('a file that is gone from the bucket is said to be so', async () => {
  const { job } = await exported(owner, { kind: 'usage', format: 'csv', ...syntheticSpan(10) });
  rmSync(join(directory, 'finance', 'tollgate', job.id), { recursive: true });
  expect((await download(owner, job.id)).status).toBe(410);
}, 120_000);

test('an export that is cancelled leaves nothing in the bucket', async () => {
  const job = await askExport(owner, { kind: 'ledger', format: 'csv', ...syntheticSpan(ROWS) });
  const files = () =>
    readdirSync(join(directory, 'finance'), { recursive: true }).filter((name) =>
      String(name).includes(`${job.id}/part`),
    );
  await waitFor(() => files().length > 0, 'the first file', 30_000, 5);
  expect((await call(owner, 'DELETE', `/api/exports/${job.id}`)).status).toBe(204);
  expect((await ended(owner, job.id)).status).toBe('cancelled');
  await waitFor(() => files().length === 0, 'the end of its files');
}, 120_000);
