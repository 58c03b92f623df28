// A request of two models has a number of its own of every kind of token and unit; then each form in which the books show
// usage is asked for these numbers. A kind that comes later and is missing from one of them makes that one red.
import { upstreamSchema } from '@tollgate/catalogue';
import { formatUsd, parseUsd } from '@tollgate/money';
import {
  INPUT_TOKEN_KINDS,
  METER_KINDS,
  type MeterKind,
  OUTPUT_TOKEN_KINDS,
  sumTokens,
  TOKEN_KINDS,
  UNIT_KINDS,
} from '@tollgate/vocabulary';
import { parse } from 'csv-parse/sync';
import { Client } from 'pg';
import { snapshotOfUnits } from '../../testing/arbitrary-usage.ts';
import { MemoryStorage } from '../../testing/memory-storage.ts';
import { readParquetRows } from '../../testing/read-parquet.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { type EventFields, usageEvent } from '../../testing/usage-events.ts';
import { computeTotals } from '../periods/totals.ts';
import { keyLines } from '../statements/statement-keys.ts';
import { statementPage } from '../statements/statement-page.ts';
import { readStatement } from '../statements/statement.ts';
import { postBatch } from '../usage/post-batch.ts';
import { computePosting, type Posting } from '../usage/posting.ts';
import { usageCsv } from '../usage/usage-csv.ts';
import { usageLog } from '../usage/usage-log.ts';
import { usageSummary } from '../usage/usage-summary.ts';
import type { ExportPlan } from './export-job.ts';
import { writeExport } from './write-export.ts';

type CountsOfAll = Readonly<Record<MeterKind, number>>;
const toCounts = (count: (kind: MeterKind, place: number) => number): CountsOfAll =>
  Object.fromEntries(METER_KINDS.map((kind, place) => [kind, count(kind, place)])) as Record<
    MeterKind,
    number
  >;
const FIRST = toCounts((_, place) => 100 + place);
const SECOND = toCounts((_, place) => 1_000 + 10 * place);
const ALL = toCounts((kind) => FIRST[kind] + SECOND[kind]);
const UNITS = Object.fromEntries(UNIT_KINDS.map((kind) => [kind, ALL[kind]]));

const snapshot = snapshotOfUnits();
snapshot.catalogue.upstreams = [
  upstreamSchema.parse({
    name: 'east',
    base_url: 'https://east.example',
    protocols: ['openai-chat'],
    cost_ratio: '0.7',
  }),
];

const DISPUTING = '0198f1c2-7d1e-7000-8000-0000000000dd';
const GIVEN = '0198f1c2-7d1e-7000-8000-0000000000da';
const now = new Date().toISOString();
const span = { from: `${now.slice(0, 7)}-01T00:00:00Z`, to: new Date(Date.parse(now) + 1_000).toISOString() };

let environment: TestEnvironment;
let accountId: string;
/** What the upstream charges for each line of the request of two models. */
let costs: bigint[];
beforeAll(async () => {
  environment = await startTestEnvironment();
  ({ accountId } = environment.first);
  const { lineCosts } = await post({
    account_id: accountId,
    counted: ['searches', 'input', 'pages'],
    lines: [
      { model: 'm', counts: FIRST, service_tier: 'priority', region: 'us' },
      { model: 'drawing', counts: SECOND },
    ],
  });
  costs = lineCosts.map(({ upstreamCostPico }) => upstreamCostPico ?? -1n);
  await post({
    account_id: DISPUTING,
    lines: [{ model: 'm', counts: { input: 3, searches: 9 } }],
    bound: { input: 3, output: 5, text_only: true, units: { searches: 2 } },
  });
});
afterAll(() => environment.stop());

async function post(of: EventFields): Promise<Posting> {
  const posting = computePosting(usageEvent({ occurred_at: now, ...of }), snapshot);
  if (!posting.ok) throw new Error(posting.reason);
  await postBatch(environment.database, [posting.value], []);
  return posting.value;
}

const readLog = () => usageLog(environment.database, { accountId, limit: 1 });

async function readCsv(whose = accountId): Promise<Record<string, string>[]> {
  const read: Parameters<typeof usageCsv>[0] = (filter) => usageLog(environment.database, filter);
  const chunks = await usageCsv(read, { accountId: whose }).toArray();
  return parse(chunks.join(''), { columns: true });
}

/** The bytes of an export, as the books have it. */
async function write(
  kind: ExportPlan['kind'],
  format: ExportPlan['format'],
  whose = accountId,
  audience: ExportPlan['audience'] = 'customer',
): Promise<Buffer> {
  const filters = { ...span, accountId: whose, model: null, keyId: null };
  const plan: ExportPlan = {
    id: '0198f1c2-7d1e-7000-8000-0000000000ee',
    kind,
    format,
    audience,
    filters,
    watermark: 1_000,
    partRows: 1_000,
    providerName: 'Tollgate',
  };
  const storage = new MemoryStorage();
  // Each export has connections of its own.
  const connectionString = environment.databaseUrl;
  const [client, database] = [new Client({ connectionString }), new Client({ connectionString })];
  await Promise.all([client.connect(), database.connect()]);
  await writeExport(
    plan,
    { parts: [] },
    {
      readers: [client],
      database,
      writer: 'test',
      storage,
      snapshotOf: () => Promise.resolve(snapshot),
      keep: () => Promise.resolve(),
      saveDraft: () => Promise.resolve(),
      progress: () => undefined,
    },
  ).finally(() => Promise.all([client.end(), database.end()]));
  return storage.bytes;
}

const readParquet = async (kind: ExportPlan['kind'], whose = accountId): Promise<Record<string, unknown>[]> =>
  readParquetRows(await write(kind, 'parquet', whose));

type Row = Readonly<Record<string, unknown>> | undefined;
/** What a row with a column for each kind says. */
const readColumns = (row: Row) =>
  toCounts((kind) =>
    Number(row?.[TOKEN_KINDS.some((each) => each === kind) ? `tokens_${kind}` : `units_${kind}`]),
  );

/** What the rows of FOCUS, one for each model and kind, say together. */
const readCharges = (rows: readonly Record<string, unknown>[]) =>
  toCounts((kind) =>
    rows
      .filter((row) => row['x_TokenKind'] === kind || row['x_UnitKind'] === kind)
      .reduce((sum, row) => sum + Number(row['ConsumedQuantity']), 0),
  );

const readMonth = () => readStatement(environment.database, accountId, now.slice(0, 7));
const parseCsv = (bytes: Buffer): Record<string, string>[] => parse(bytes, { columns: true });

const FORMS: Readonly<Record<string, () => Promise<object>>> = {
  'an entry of the log': async () => {
    const [entry] = (await readLog()).items;
    return { ...entry?.tokens, ...entry?.units };
  },
  'the lines of an entry': async () => {
    const lines = (await readLog()).items[0]?.lines ?? [];
    return toCounts((kind) => lines.reduce((sum, { counts }) => sum + (counts[kind] ?? 0), 0));
  },
  'the CSV of the log': async () => readColumns((await readCsv())[0]),
  'usage exported as CSV': async () => readColumns(parseCsv(await write('usage', 'csv'))[0]),
  'usage exported as JSON lines': async () =>
    readColumns(JSON.parse((await write('usage', 'jsonl')).toString()) as Row),
  'usage exported as Parquet': async () => readColumns((await readParquet('usage'))[0]),
  'FOCUS as CSV': async () => readCharges(parseCsv(await write('focus', 'csv'))),
  'FOCUS as Parquet': async () => readCharges(await readParquet('focus')),
  'a statement': async () => {
    const [line] = (await readMonth()).lines;
    return { ...line?.tokens, ...line?.units };
  },
  'a statement to print': async () => {
    const html = statementPage(await readMonth(), 'en');
    return toCounts((kind) => {
      const [, count = ''] = new RegExp(`[>,] ?${kind.replaceAll('_', ' ')} ([\\d,]*\\d)`).exec(html) ?? [];
      return Number(count.replaceAll(',', ''));
    });
  },
  'what is sealed of a month': async () => {
    const { usage } = await computeTotals(environment.database.manager, { accountId, ...span }, 0n);
    return { ...usage[0]?.tokens, ...usage[0]?.units };
  },
};

test.each(Object.keys(FORMS))('%s has every kind', async (form) => {
  expect(await FORMS[form]?.()).toEqual(ALL);
});

test('a summary has every unit, and the tokens of each side', async () => {
  const sums = {
    tokens_in: sumTokens(ALL, INPUT_TOKEN_KINDS),
    tokens_out: sumTokens(ALL, OUTPUT_TOKEN_KINDS),
    units: UNITS,
  };
  for (const by of ['model', 'key', 'status'] as const) {
    const summary = await usageSummary(environment.database, { accountId, ...span, bucket: 'day', by });
    expect(summary).toMatchObject({ total: sums, series: [{ total: sums }] });
  }
});

test('a statement by key has every unit, and all tokens in one', async () => {
  expect(await keyLines(environment.database, accountId, now.slice(0, 7))).toMatchObject([
    { tokens: sumTokens(ALL, TOKEN_KINDS), units: UNITS },
  ]);
});

test('CSV and exports tell the lines, which units we counted, and that nothing is disputed', async () => {
  const [entry] = (await readLog()).items;
  expect(entry?.lines).toMatchObject([
    { model: 'm', service_tier: 'priority', region: 'us', counted: ['searches', 'pages'] },
    { model: 'drawing', service_tier: 'standard', region: null, counted: [] },
  ]);
  const [logged] = await readCsv();
  expect(logged).toMatchObject({
    counted: 'pages searches',
    disputed: '',
    lines: expect.any(String) as string,
  });
  expect(JSON.parse(logged?.['lines'] ?? '')).toEqual(entry?.lines);
  const [exported] = parseCsv(await write('usage', 'csv'));
  expect(exported).toMatchObject({ counted: 'pages searches', disputed: 'false' });
  expect(JSON.parse(exported?.['lines'] ?? '')).toEqual(entry?.lines);
});

test('a tier and a region that are given away are charges of FOCUS, and cost what the list says', async () => {
  const { costPico } = await post({
    account_id: GIVEN,
    model: 'given',
    lines: [{ model: 'given', counts: { input: 7, output: 3 }, service_tier: 'priority', region: 'mars' }],
  });
  const rows = parseCsv(await write('focus', 'csv', GIVEN));
  expect(rows).toMatchObject([
    { x_TokenKind: 'input', x_ServiceTier: 'priority', x_Region: 'mars' },
    { x_TokenKind: 'output', x_ServiceTier: 'priority', x_Region: 'mars' },
  ]);
  const billed = rows.reduce((sum, row) => sum + parseUsd(row['BilledCost'] ?? ''), 0n);
  expect([billed > 0n, billed]).toEqual([true, costPico]);
});

test('CSV and exports tell of what is disputed, and what is charged of it', async () => {
  const [logged] = await readCsv(DISPUTING);
  expect(logged).toMatchObject({ units_searches: '2', disputed: 'open', lines: '' });
  const [exported] = parseCsv(await write('usage', 'csv', DISPUTING));
  expect(exported).toMatchObject({ units_searches: '2', disputed: 'true', lines: '' });
  expect(await readParquet('usage', DISPUTING)).toMatchObject([{ units_searches: 2n, disputed: true }]);
  expect(await readParquet('usage')).toMatchObject([{ disputed: false }]);
});

test('the books are also told what upstreams charge for each line, and customers are not', async () => {
  const [ours] = parseCsv(await write('usage', 'csv', accountId, 'books'));
  const lines = JSON.parse(ours?.['lines'] ?? '') as { upstream_cost_usd: string; cost_usd: string }[];
  expect(lines.map(({ upstream_cost_usd }) => upstream_cost_usd)).toEqual(costs.map(formatUsd));
  expect(ours?.['upstream_cost_usd']).toBe(formatUsd(costs.reduce((sum, cost) => sum + cost, 0n)));
  const theirs = (await write('usage', 'csv')).toString();
  expect(theirs).toContain('cost_usd');
  expect(theirs).not.toContain('upstream_cost');
});
