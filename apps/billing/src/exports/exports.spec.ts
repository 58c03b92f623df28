import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBConnection } from '@duckdb/node-api';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { SYNTHETIC_ACCOUNTS, syntheticSpan, fillSyntheticLedger } from '../../testing/synthetic-ledger.ts';
import {
  askExport,
  type At,
  download,
  ended,
  exported,
  type Manifest,
  seeExport,
} from '../../testing/exports.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { postBatch } from '../usage/post-batch.ts';
import { computePosting } from '../usage/posting.ts';
import { snapshotWith, usageEvent } from '../../testing/usage-events.ts';

const ROWS = 3_000;
/** For what runs several exports, on a machine that has other work as well. */
const LONG_MS = 120_000;
const span = syntheticSpan(ROWS);

let environment: TestEnvironment;
let billing: RunningBilling;
let directory: string;
let finance: At;
let duck: DuckDBConnection;
beforeAll(async () => {
  environment = await startTestEnvironment();
  await fillSyntheticLedger(environment.database, ROWS);
  directory = mkdtempSync(join(tmpdir(), 'tollgate-exports-'));
  billing = await startBillingOn(environment, {
    EXPORT_DIR: directory,
    EXPORT_PART_ROWS: '1250',
  });
  await addPerson(environment, 'finance@billing.example', 'finance');
  finance = { url: billing.url, cookie: await signIn(billing.url, 'finance@billing.example') };
  duck = await DuckDBConnection.create();
}, 120_000);
afterAll(async () => {
  duck.closeSync();
  await billing.stop();
  await environment.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** The first row of what DuckDB answers, as texts. */
const asked = async (question: string): Promise<unknown[]> =>
  (await duck.runAndReadAll(question)).getRowsJson()[0] ?? [];

/** Downloads all files of an export; answers where they are. */
async function downloaded(job: { id: string }, manifest: Manifest): Promise<string[]> {
  const paths: string[] = [];
  for (const [index, file] of manifest.files.entries()) {
    const { status, bytes } = await download(finance, job.id, index + 1);
    expect(status).toBe(200);
    expect(bytes).toHaveLength(file.bytes);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256);
    const path = join(directory, `${job.id}-${file.name}`);
    writeFileSync(path, bytes);
    paths.push(path);
  }
  return paths;
}

const sumsInBooks = async (): Promise<Record<string, string>> => {
  const [row]: Record<string, string>[] = await environment.database.query(
    `SELECT count(*) AS rows, sum(cost_pico) AS cost, sum(upstream_cost_pico) AS upstream,
       sum(tokens_input) AS input, sum(tokens_output_reasoning) AS reasoning FROM billing.usage`,
  );
  return row ?? {};
};

/** As DuckDB writes a DECIMAL(38, 12). */
const inUsd = (pico = ''): string =>
  `${pico.padStart(13, '0').slice(0, -12)}.${pico.padStart(13, '0').slice(-12)}`;

test(
  'DuckDB reads usage in Parquet, in exact types, and finds the sums of the manifest and of the books',
  async () => {
    const { job, manifest } = await exported(finance, { kind: 'usage', format: 'parquet', ...span });
    expect(manifest.files.map(({ name, rows }) => [name, rows])).toEqual([
      ['part-00001.parquet', 1_250],
      ['part-00002.parquet', 1_250],
      ['part-00003.parquet', 500],
    ]);
    const files = JSON.stringify(await downloaded(job, manifest)).replaceAll('"', "'");
    const books = await sumsInBooks();
    const found = await asked(
      `SELECT count(*)::text, sum(cost_usd)::text, sum(upstream_cost_usd)::text, sum(tokens_input)::text,
       sum(tokens_output_reasoning)::text, typeof(any_value(cost_usd)), typeof(any_value(occurred_at)),
       min(occurred_at AT TIME ZONE 'UTC')::text FROM read_parquet(${files})`,
    );
    expect(found).toEqual([
      String(ROWS),
      inUsd(books['cost']),
      inUsd(books['upstream']),
      books['input'],
      books['reasoning'],
      'DECIMAL(38,12)',
      'TIMESTAMP WITH TIME ZONE',
      '2026-11-01 00:00:00',
    ]);
    expect(manifest.rows).toBe(ROWS);
    expect(manifest.sums).toMatchObject({
      cost_pico: books['cost'],
      upstream_cost_pico: books['upstream'],
      tokens_input: books['input'],
      tokens_output_reasoning: books['reasoning'],
    });
  },
  LONG_MS,
);

test.each(['csv', 'jsonl'])(
  'DuckDB reads usage in %s and finds the sums of the manifest',
  async (format) => {
    const { job, manifest } = await exported(finance, { kind: 'usage', format, ...span });
    const files = JSON.stringify(await downloaded(job, manifest)).replaceAll('"', "'");
    const reader = format === 'csv' ? `read_csv(${files}, all_varchar = true)` : `read_json(${files})`;
    const found = await asked(
      `SELECT count(*)::text, sum(cost_usd::DECIMAL(38,12))::text, sum(tokens_input::BIGINT)::text,
       count(upstream_cost_usd)::text, max(number::BIGINT)::text FROM ${reader}`,
    );
    const books = await sumsInBooks();
    const [withUpstream]: { count: string }[] = await environment.database.query(
      'SELECT count(upstream_cost_pico) FROM billing.usage',
    );
    expect(found[0]).toBe(String(ROWS));
    expect(found[1]).toBe(inUsd(manifest.sums['cost_pico']));
    expect(found.slice(2)).toEqual([books['input'], withUpstream?.count, String(ROWS)]);
  },
  LONG_MS,
);

test(
  'the ledger has every entry, and they add up to nothing',
  async () => {
    const { job, manifest } = await exported(finance, { kind: 'ledger', format: 'parquet', ...span });
    const files = JSON.stringify(await downloaded(job, manifest)).replaceAll('"', "'");
    const [entries]: { count: string }[] = await environment.database.query(
      'SELECT count(*) FROM billing.ledger_entry',
    );
    const found = await asked(
      `SELECT count(*)::text, count(DISTINCT number)::text, sum(amount_usd)::DOUBLE FROM read_parquet(${files})`,
    );
    expect(found).toEqual([entries?.count, String(ROWS), 0]);
    expect(manifest.sums['amount_pico']).toBe('0');
    // No transaction is torn apart by the end of a file.
    const torn = await asked(
      `SELECT count(*)::text FROM (SELECT number FROM read_parquet(${files}, filename = true)
       GROUP BY number HAVING count(DISTINCT filename) > 1)`,
    );
    expect(torn).toEqual(['0']);
  },
  LONG_MS,
);

test(
  'the same export twice has the same bytes, though more was posted between',
  async () => {
    const params = { kind: 'usage', format: 'parquet', from: span.from, to: '2026-12-01T00:00:00Z' };
    const first = await exported(finance, params);
    const event = usageEvent({ occurred_at: '2026-11-15T10:00:00.000Z', account_id: SYNTHETIC_ACCOUNTS[0] });
    const posting = computePosting(event, snapshotWith({ input: 7, output: 9 }, '1'));
    if (!posting.ok) throw new Error(posting.reason);
    const late = await askExport(finance, { ...params, format: 'csv' });
    await postBatch(environment.database, [posting.value], []);
    await ended(finance, late.id);
    const after = await exported(finance, params);
    expect((await seeExport(finance, late.id)).rows.done).toBe(ROWS);
    expect(after.manifest.rows).toBe(ROWS + 1);
    // An earlier watermark cannot be asked for; a job that was written down with it is written again as it was.
    await environment.database.query(
      `INSERT INTO billing.export_job (id, kind, format, audience, booked_from, booked_to, watermark, part_rows,
       provider_name, requested_by)
     SELECT '0198f1c2-7d1e-7000-8000-0000000000ff', kind, format, audience, booked_from, booked_to, watermark,
       part_rows, provider_name, requested_by FROM billing.export_job WHERE id = $1`,
      [first.job.id],
    );
    const again = await ended(finance, '0198f1c2-7d1e-7000-8000-0000000000ff');
    const manifests = await Promise.all(
      [first.job.id, again.id].map((id) => call(finance, 'GET', `/api/exports/${id}/manifest`)),
    );
    expect(manifests[1]).toEqual(manifests[0]);
  },
  LONG_MS,
);

test(
  'an export without rows is a file that says so in every format',
  async () => {
    const nothing = { from: '2020-01-01T00:00:00Z', to: '2020-02-01T00:00:00Z' };
    for (const format of ['csv', 'parquet', 'jsonl']) {
      const { job, manifest } = await exported(finance, { kind: 'usage', format, ...nothing });
      expect(manifest).toMatchObject({ rows: 0, sums: { cost_usd: '0.00', tokens_input: '0' } });
      const [path = ''] = await downloaded(job, manifest);
      if (format === 'jsonl') continue;
      const reader = format === 'csv' ? 'read_csv' : 'read_parquet';
      expect(await asked(`SELECT count(*)::text, count(cost_usd)::text FROM ${reader}('${path}')`)).toEqual([
        '0',
        '0',
      ]);
    }
  },
  LONG_MS,
);

test(
  'filters leave out what they say',
  async () => {
    const keyId = '0198f1c2-7d1e-7000-8000-000000000007';
    const { manifest } = await exported(finance, {
      kind: 'usage',
      format: 'csv',
      ...span,
      account_id: SYNTHETIC_ACCOUNTS[1],
      model: 'model-2',
      key_id: keyId,
    });
    const [row]: { count: string; cost: string }[] = await environment.database.query(
      `SELECT count(*), sum(cost_pico) AS cost FROM billing.usage
     WHERE account_id = $1 AND model = 'model-2' AND key_id = $2`,
      [SYNTHETIC_ACCOUNTS[1], keyId],
    );
    expect(Number(row?.count)).toBeGreaterThan(0);
    expect(manifest).toMatchObject({ rows: Number(row?.count), sums: { cost_pico: row?.cost } });
  },
  LONG_MS,
);

test(
  'two exports side by side have the bytes that each has alone',
  async () => {
    const bodies = ['usage', 'ledger'].map((kind) => ({ kind, format: 'csv', ...span }));
    const together = await Promise.all(bodies.map((body) => exported(finance, body)));
    for (const [index, body] of bodies.entries()) {
      const alone = await exported(finance, body);
      expect(together[index]?.manifest.files).toEqual(alone.manifest.files);
    }
  },
  LONG_MS,
);

test(
  'long reasons, each another one, do not take more memory than there is',
  async () => {
    const [journal]: { last_number: string }[] = await environment.database.query(
      'SELECT last_number FROM billing.journal',
    );
    const last = Number(journal?.last_number);
    const accountId = '0198f1c2-7d1e-7000-8000-0000000000aa';
    const at = '2026-10-05T00:00:00Z';
    const count = 12_000;
    await environment.database.query(
      `INSERT INTO billing.ledger_transaction (number, kind, account_id, idempotency_key, occurred_at, booked_at, actor, reason)
     SELECT ${last} + n, 'adjustment', '${accountId}', 'adjust-' || n, '${at}', '${at}', 'owner@billing.example',
       rpad(n::text, 500, '帳') FROM generate_series(1, ${count}) AS n`,
    );
    await environment.database.query(
      `INSERT INTO billing.ledger_entry (number, ledger_account, amount_pico)
     SELECT ${last} + n, account, amount FROM generate_series(1, ${count}) AS n,
       LATERAL (VALUES ('customer:${accountId}', n), ('adjustments', -n)) AS e (account, amount)`,
    );
    await environment.database.query(
      `INSERT INTO billing.account_balance VALUES ('${accountId}', ${(count * (count + 1)) / 2}, ${last + count})`,
    );
    await environment.database.query(`UPDATE billing.journal SET last_number = ${last + count}`);
    const { manifest } = await exported(finance, {
      kind: 'ledger',
      format: 'parquet',
      from: '2026-10-01T00:00:00Z',
      to: '2026-10-31T00:00:00Z',
    });
    expect(manifest).toMatchObject({ rows: 2 * count, sums: { amount_pico: '0' } });
  },
  LONG_MS,
);

test('usage that costs nothing is in the ledger, without an entry', async () => {
  const event = usageEvent({ occurred_at: '2026-09-15T10:00:00.000Z' });
  const posting = computePosting(event, snapshotWith({}, '1'));
  if (!posting.ok) throw new Error(posting.reason);
  const [posted] = await postBatch(environment.database, [posting.value], []);
  const { job, manifest } = await exported(finance, {
    kind: 'ledger',
    format: 'jsonl',
    from: '2026-09-01T00:00:00Z',
    to: '2026-10-01T00:00:00Z',
  });
  expect(manifest.rows).toBe(1);
  const row: unknown = JSON.parse((await download(finance, job.id)).bytes.toString());
  expect(row).toMatchObject({ number: posted?.number, ledger_account: null, amount_usd: null });
});
