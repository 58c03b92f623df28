import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBConnection } from '@duckdb/node-api';
import type { PriceSnapshot } from '@tollgate/catalogue';
import type { UsageEvent } from '@tollgate/contracts';
import { type Counts, TOKEN_KINDS } from '@tollgate/vocabulary';
import { parse } from 'csv-parse/sync';
import { type Pair, startPair } from '../../../testing/billing-service.ts';
import { type At, download, ended, exported, type Manifest, readManifest } from '../../../testing/exports.ts';
import { addPerson, signIn } from '../../../testing/people.ts';
import { readPrices } from '../../../testing/pricing-process.ts';
import { usageEvent } from '../../../testing/usage-events.ts';
import { postBatch } from '../../usage/post-batch.ts';
import { type Posting, computePosting } from '../../usage/posting.ts';
import { focusColumnProblems, type FocusRecord, focusRowProblems } from './focus-validator.ts';

const november = { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' };

let pair: Pair;
let directory: string;
let finance: At;
let shanghai: string;
let postings: Posting[];
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-focus-'));
  pair = await startPair(() => Promise.resolve({ EXPORT_DIR: directory, EXPORT_PART_ROWS: '10' }));
  const { database } = pair.environment;
  await addPerson(pair.environment, 'finance@billing.example', 'finance');
  finance = { url: pair.billing.url, cookie: await signIn(pair.billing.url, 'finance@billing.example') };
  ({ account_id: shanghai } = await addPerson(pair.environment, 'shanghai@billing.example', 'member'));
  await database.query(`UPDATE billing.account SET time_zone = 'Asia/Shanghai' WHERE id = $1`, [shanghai]);
  const snapshot = await readPrices(pair.billing.config);
  postings = eventsOf(snapshot).map((event) => {
    const posting = computePosting(event, snapshot);
    if (!posting.ok) throw new Error(posting.reason);
    return posting.value;
  });
  await postBatch(database, postings, []);
}, 120_000);
afterAll(async () => {
  await pair.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Requests of two accounts over three days: every model, every kind of token, some above a tier, some of a second model. */
function eventsOf({ catalogue }: PriceSnapshot): UsageEvent[] {
  const group = catalogue.groups[0]?.name ?? '';
  return Array.from({ length: 400 }, (_, index) =>
    usageEvent({
      account_id: index % 2 === 0 ? pair.environment.first.accountId : shanghai,
      occurred_at: `2026-11-${String(10 + (index % 3))}T${String(index % 24).padStart(2, '0')}:30:00.000Z`,
      group,
      ...usedBy(
        catalogue.models[index % catalogue.models.length]?.name ?? '',
        index % 4 === 0 ? catalogue.models[(index + 1) % catalogue.models.length]?.name : undefined,
        {
          input: (index * 7_919) % 300_000,
          cache_read: index % 5,
          output: (index * 31) % 999,
          output_reasoning: index % 7,
        },
      ),
    }),
  );
}

/** What a model used, and the same again of a second one where there is one. */
const usedBy = (model: string, second: string | undefined, counts: Counts) => ({
  model,
  lines: [{ model, counts }, ...(second === undefined ? [] : [{ model: second, counts }])],
});

async function recordsOf(job: { id: string }, manifest: Manifest): Promise<FocusRecord[]> {
  const records: FocusRecord[] = [];
  for (let part = 1; part <= manifest.files.length; part += 1) {
    const { bytes } = await download(finance, job.id, part);
    const rows: Record<string, string>[] = parse(bytes, { columns: true });
    records.push(
      ...rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value || null])),
      ),
    );
  }
  return records;
}

test('every row keeps the rules of FOCUS, and billed costs add up to the books', async () => {
  const { job, manifest } = await exported(finance, { kind: 'focus', format: 'csv', ...november });
  const records = await recordsOf(job, manifest);
  expect(manifest.files.length).toBeGreaterThan(1);
  expect(records.length).toBe(manifest.rows);
  expect(focusColumnProblems(Object.keys(records[0] ?? {}))).toEqual([]);
  expect(records.flatMap(focusRowProblems)).toEqual([]);
  const booked = postings.reduce((sum, { costPico }) => sum + costPico, 0n);
  const tokens = postings.reduce(
    (sum, { counts }) => sum + TOKEN_KINDS.reduce((all, kind) => all + (counts[kind] ?? 0), 0),
    0,
  );
  expect(manifest.sums).toMatchObject({
    BilledCost_pico: String(booked),
    EffectiveCost_pico: String(booked),
    x_TokenCount: String(tokens),
  });
}, 120_000);

test('days and months begin where the account is', async () => {
  const { job, manifest } = await exported(finance, {
    kind: 'focus',
    format: 'csv',
    ...november,
    account_id: shanghai,
  });
  const records = await recordsOf(job, manifest);
  expect(new Set(records.map((row) => `${row['BillingPeriodStart']} ${row['BillingPeriodEnd']}`))).toEqual(
    new Set(['2026-10-31T16:00:00Z 2026-11-30T16:00:00Z']),
  );
  for (const row of records) expect(row['ChargePeriodStart']).toContain('T16:00:00Z');
}, 120_000);

test('DuckDB reads it in Parquet and finds the sums of the manifest', async () => {
  const { job, manifest } = await exported(finance, { kind: 'focus', format: 'parquet', ...november });
  for (let part = 1; part <= manifest.files.length; part += 1)
    writeFileSync(join(directory, `focus-${part}.parquet`), (await download(finance, job.id, part)).bytes);
  const duck = await DuckDBConnection.create();
  const answer = await duck.runAndReadAll(
    `SELECT sum(BilledCost)::text, typeof(any_value(BilledCost)), typeof(any_value(ListUnitPrice)),
       typeof(any_value(ChargePeriodStart)), count(DISTINCT BillingAccountName)::text,
       sum(x_TokenCount) FILTER (x_TokenKind = 'input')
     FROM read_parquet('${directory}/focus-*.parquet')`,
  );
  const [row] = answer.getRowsJson();
  duck.closeSync();
  const input = postings.reduce((sum, { counts }) => sum + (counts.input ?? 0), 0);
  expect(row?.[0]?.toString().replace('.', '').replace(/^0+/, '')).toBe(manifest.sums['BilledCost_pico']);
  expect(row?.slice(1)).toEqual([
    'DECIMAL(38,12)',
    'DECIMAL(38,30)',
    'TIMESTAMP WITH TIME ZONE',
    '2',
    String(input),
  ]);
}, 120_000);

test('an account that has another name by then changes nothing of what was asked for before', async () => {
  const { database } = pair.environment;
  const params = { kind: 'focus', format: 'csv', ...november };
  const first = await exported(finance, params);
  // The same question, written down before the change and answered after it.
  const id = '0198f1c2-7d1e-7000-8000-0000000000fe';
  await database.query(
    `INSERT INTO billing.export_job (id, kind, format, audience, booked_from, booked_to, watermark, part_rows,
       provider_name, requested_by, not_before)
     SELECT $2, kind, format, audience, booked_from, booked_to, watermark, part_rows, provider_name, requested_by,
       'infinity' FROM billing.export_job WHERE id = $1`,
    [first.job.id, id],
  );
  await database.query(
    `INSERT INTO billing.export_account SELECT $2, account_id, name, time_zone FROM billing.export_account
     WHERE job_id = $1`,
    [first.job.id, id],
  );
  await database.query(`UPDATE billing.account SET name = name || ' (renamed)', time_zone = 'Asia/Tokyo'`);
  await database.query('UPDATE billing.export_job SET not_before = now() WHERE id = $1', [id]);
  expect((await ended(finance, id)).status).toBe('done');
  expect(await readManifest(finance, id)).toEqual(first.manifest);
  const renamed = await exported(finance, params);
  expect(renamed.manifest.files).not.toEqual(first.manifest.files);
}, 120_000);
