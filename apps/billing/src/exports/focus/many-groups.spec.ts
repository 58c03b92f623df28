// More groups than PostgreSQL hands over at once, in several files: what is written down meanwhile does not wait for their end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PriceSnapshot } from '@tollgate/catalogue';
import { Client } from 'pg';
import { type Pair, startPair } from '../../../testing/billing-service.ts';
import { exported } from '../../../testing/exports.ts';
import { addPerson, signIn } from '../../../testing/people.ts';
import { readPrices } from '../../../testing/pricing-process.ts';
import { usageEvent } from '../../../testing/usage-events.ts';
import type { Row } from '../columns.ts';
import type { ExportPlan } from '../export-job.ts';
import { focusSource } from '../sources/focus.ts';
import type { ExportSource } from '../sources/source.ts';
import { postBatch } from '../../usage/post-batch.ts';
import { type Posting, computePosting } from '../../usage/posting.ts';

/** Each by a key of its own. */
const GROUPS = 5_000;
const PART_ROWS = 2_000;
const november = { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' };

let pair: Pair;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-focus-'));
  pair = await startPair(() =>
    Promise.resolve({ EXPORT_DIR: directory, EXPORT_PART_ROWS: String(PART_ROWS) }),
  );
  await addPerson(pair.environment, 'finance@billing.example', 'finance');
}, 120_000);
afterAll(async () => {
  await pair.stop();
  rmSync(directory, { recursive: true, force: true });
});

let snapshot: PriceSnapshot;
let postings: Posting[];
beforeAll(async () => {
  snapshot = await readPrices(pair.billing.config);
  postings = Array.from({ length: GROUPS }, (_, index) => {
    const event = usageEvent({
      account_id: pair.environment.first.accountId,
      key_id: `0198f1c2-7d1e-7000-8000-${String(index).padStart(12, '0')}`,
      occurred_at: `2026-11-${String(10 + (index % 3))}T12:00:00.000Z`,
      group: snapshot.catalogue.groups[0]?.name ?? '',
      model: snapshot.catalogue.models[0]?.name ?? '',
    });
    const posting = computePosting(event, snapshot);
    if (!posting.ok) throw new Error(posting.reason);
    return posting.value;
  });
  await postBatch(pair.environment.database, postings, []);
}, 120_000);

test('an export of many groups has all of them, and adds up to the books', async () => {
  const { url } = pair.billing;
  const finance = { url, cookie: await signIn(url, 'finance@billing.example') };
  const { manifest } = await exported(finance, { kind: 'focus', format: 'csv', ...november });
  expect(manifest.rows).toBeGreaterThanOrEqual(GROUPS);
  expect(manifest.files.length).toBeGreaterThan(2);
  const booked = postings.reduce((sum, { costPico }) => sum + costPico, 0n);
  expect(manifest.sums).toMatchObject({ BilledCost_pico: String(booked) });
}, 120_000);

test.each([1, 1_000, 1_700, GROUPS - 1, GROUPS])(
  'behind %i groups it goes on with the rows that it has there when read as a whole',
  async (afterKey) => {
    const connectionString = pair.environment.databaseUrl;
    const [reader, database] = [new Client({ connectionString }), new Client({ connectionString })];
    await Promise.all([reader.connect(), database.connect()]);
    try {
      const source = await focusSource(reader, database, plan, () => Promise.resolve(snapshot));
      const all = await readFrom(source, 0);
      // Each group has as many charges.
      const before = (all.length / GROUPS) * afterKey;
      expect(await readFrom(source, afterKey)).toEqual(all.slice(before));
    } finally {
      await Promise.all([reader.end(), database.end()]);
    }
  },
);

const plan: ExportPlan = {
  id: '0198f1c2-7d1e-7000-8000-0000000000aa',
  kind: 'focus',
  format: 'csv',
  audience: 'books',
  filters: { ...november, accountId: null, model: null, keyId: null },
  watermark: GROUPS,
  partRows: PART_ROWS,
  providerName: 'Tollgate',
};

async function readFrom(source: ExportSource, afterKey: number): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { content } of source.pages({ afterKey, partRows: PART_ROWS, rowsInPart: 0 }))
    if ('rows' in content) rows.push(...content.rows);
  return rows;
}
