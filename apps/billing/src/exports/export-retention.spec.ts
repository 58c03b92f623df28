import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@tollgate/harness';
import { startBillingOn } from '../../testing/billing-service.ts';
import { syntheticSpan, fillSyntheticLedger } from '../../testing/synthetic-ledger.ts';
import { type At, download, exported, readManifest, seeExport } from '../../testing/exports.ts';
import { type TestEnvironment, silent, startTestEnvironment } from '../../testing/test-environment.ts';
import { signIn } from '../../testing/people.ts';
import { createExport } from './export-jobs.ts';
import { leaseExport } from './export-leases.ts';
import { removeOldExports } from './export-retention.ts';
import { LocalStorage } from './storage/local-storage.ts';

const LONG_MS = 120_000;
const span = syntheticSpan(50);

let environment: TestEnvironment;
let directory: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  await fillSyntheticLedger(environment.database, 50);
  directory = mkdtempSync(join(tmpdir(), 'tollgate-exports-'));
}, LONG_MS);
afterAll(async () => {
  await environment.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function withBilling<T>(env: Record<string, string>, work: (owner: At) => Promise<T>): Promise<T> {
  const billing = await startBillingOn(environment, { EXPORT_DIR: directory, ...env });
  try {
    return await work({ url: billing.url, cookie: await signIn(billing.url, 'owner@billing.example') });
  } finally {
    await billing.stop();
  }
}

const endedDaysAgo = (id: string, days: number): Promise<unknown> =>
  environment.database.query(
    'UPDATE billing.export_job SET finished_at = now() - make_interval(days => $2) WHERE id = $1',
    [id, days],
  );
const hasFiles = (id: string) => existsSync(join(directory, id));
const usage = { kind: 'usage', format: 'csv', ...span };

test(
  'files go when their days are over, and what the export was stays with its manifest',
  async () => {
    const [old, young] = await withBilling({}, async (owner) => [
      await exported(owner, usage),
      await exported(owner, usage),
    ]);
    await endedDaysAgo(old.job.id, 31);
    await endedDaysAgo(young.job.id, 29);
    await withBilling({ EXPORT_KEEP_DAYS: '30' }, async (owner) => {
      await waitFor(() => !hasFiles(old.job.id), 'the end of the old files');
      const shown = await waitFor(async () => {
        const seen = await seeExport(owner, old.job.id);
        return seen.files_removed_at === null ? undefined : seen;
      }, 'the word of it');
      expect(shown).toMatchObject({ status: 'done' });
      expect((await download(owner, old.job.id)).status).toBe(410);
      expect(await readManifest(owner, old.job.id)).toEqual(old.manifest);
      expect((await download(owner, young.job.id)).status).toBe(200);
      expect(await seeExport(owner, young.job.id)).toMatchObject({ files_removed_at: null });
    });
  },
  LONG_MS,
);

test.each([
  ['90 days where nobody says otherwise', {}, [89, 91], [true, false]],
  ['for ever', { EXPORT_KEEP_DAYS: 'never' }, [5_000], [true]],
])(
  'they are kept %s',
  async (_how, env, ages, kept) => {
    const jobs = await withBilling({}, async (owner) => {
      const made: { job: { id: string } }[] = [];
      for (const _age of ages) made.push(await exported(owner, usage));
      return made;
    });
    for (const [index, { job }] of jobs.entries()) await endedDaysAgo(job.id, ages[index] ?? 0);
    // A billing that ends finishes its first look.
    await withBilling(env, () => Promise.resolve());
    expect(jobs.map(({ job }) => hasFiles(job.id))).toEqual(kept);
  },
  LONG_MS,
);

test(
  'what cannot be removed now is removed with a later look, and holds nothing up',
  async () => {
    const [stuck, next] = await withBilling({}, async (owner) => [
      await exported(owner, usage),
      await exported(owner, usage),
    ]);
    await endedDaysAgo(stuck.job.id, 400);
    await endedDaysAgo(next.job.id, 399);
    const files = new LocalStorage(directory);
    const storage = {
      remove: (id: string) => (id === stuck.job.id ? Promise.reject(new Error('away')) : files.remove(id)),
    };
    const parts = { database: environment.database, logger: silent, keepDays: 300, customerMb: 1_000 };
    const looks = [
      await removeOldExports({ ...parts, storage }),
      await removeOldExports({ ...parts, storage }),
    ];
    expect([looks, hasFiles(stuck.job.id), hasFiles(next.job.id)]).toEqual([[1, 0], true, false]);
    expect(await removeOldExports({ ...parts, storage: files })).toBe(1);
    expect(hasFiles(stuck.job.id)).toBe(false);
  },
  LONG_MS,
);

/** As if people of an account had exported so much themselves. */
const byCustomers = (ids: readonly string[], accountId: string, bytes: number): Promise<unknown> =>
  environment.database.query(
    `UPDATE billing.export_job SET audience = 'customer', account_id = $2, bytes = $3 WHERE id = ANY ($1)`,
    [ids, accountId, bytes],
  );

test(
  'customers have their share of the disk: the oldest files of an account go, and the newest stay whatever they take',
  async () => {
    await withBilling({ EXPORT_CUSTOMER_MB: '1' }, async (owner) => {
      const made: string[] = [];
      for (let count = 0; count < 5; count += 1) made.push((await exported(owner, usage)).job.id);
      const [oldest = '', older = '', newest = '', ofOther = '', books = ''] = made;
      await byCustomers([oldest, older, newest], environment.first.accountId, 500_000);
      await byCustomers([ofOther], randomUUID(), 5_000_000);
      // Whichever ends next has billing look.
      await exported(owner, usage);
      await waitFor(() => !hasFiles(oldest), 'the end of the oldest files');
      expect([older, newest, ofOther, books].map(hasFiles)).toEqual([true, true, true, true]);
      expect((await download(owner, oldest)).status).toBe(410);
    });
  },
  LONG_MS,
);

test('what finance asks for is written before what customers have asked for earlier', async () => {
  const { database, first } = environment;
  const filters = { ...span, accountId: first.accountId, model: null, keyId: null };
  const asked = { kind: 'usage', format: 'csv', filters, partRows: 1_000, providerName: 'Tollgate' } as const;
  for (const audience of ['customer', 'books'] as const)
    await createExport(database, { ...asked, audience, requestedBy: `${audience}@order.example` });
  const leases = [await leaseExport(database, 30), await leaseExport(database, 30)];
  expect(leases.map((lease) => lease?.plan.audience)).toEqual(['books', 'customer']);
});
