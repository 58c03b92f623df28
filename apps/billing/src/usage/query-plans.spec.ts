import { MARGIN_GROUPS } from '@tollgate/vocabulary';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { fillUsage, toAccountId, toKeyId } from '../../testing/many-usage-rows.ts';
import {
  believeInMoreRows,
  type Explainer,
  readWhole,
  rowsRead,
  type Scan,
  startExplaining,
} from '../../testing/plans.ts';
import { readMargins } from '../ledger/margins.ts';
import { readOverview } from '../overview/read-overview.ts';
import { addMonths, type Month, toMonth, toStart } from './partitions.ts';
import { SERVED_SUMS, servedHours } from './served-hours.ts';
import { rebuildAccountHours, rebuildHours } from './usage-hours.ts';
import { usageLog, type UsageFilter, type UsagePage } from './usage-log.ts';
import { usageSummary } from './usage-summary.ts';

const MONTHS = 6;
/** So many that a partition is dear to read as a whole: what is counted below does not grow with them. */
const ROWS_PER_MONTH = 40_000;
const PAGE = 50;
const FILLED_WITHIN_MS = 240_000;
/** Of so many accounts the hours are summed: the one that is looked at, and others to be passed over. */
const SUMMED_ACCOUNTS = [5, 6, 7, 8, 9];

const now = new Date();
let environment: TestEnvironment;
let explainer: Explainer;
let months: Month[];
beforeAll(async () => {
  environment = await startTestEnvironment();
  months = await fillUsage(environment.database, { now, months: MONTHS, rowsPerMonth: ROWS_PER_MONTH });
  explainer = await startExplaining(environment.databaseUrl);
}, FILLED_WITHIN_MS);
afterAll(async () => {
  await explainer.stop();
  await environment.stop();
});

const accountId = toAccountId(7);
const log = (filter: Partial<UsageFilter>): Promise<UsagePage> =>
  usageLog(explainer.database, { accountId, limit: PAGE, ...filter });
const month = (index: number): Month => months.at(index) ?? '';

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const tables = (scans: readonly Scan[]) => new Set(scans.map(({ table }) => table)).size;

test('the log has a quarter of a million rows', async () => {
  const [row] = await environment.database.query('SELECT count(*)::int AS rows FROM billing.usage');
  expect(row).toEqual({ rows: MONTHS * ROWS_PER_MONTH });
});

const spans = {
  'all time': {},
  'one day': {
    from: `${addMonths(toMonth(now), -2)}-10T00:00:00Z`,
    to: `${addMonths(toMonth(now), -2)}-11T00:00:00Z`,
  },
  'one month': { from: toStart(addMonths(toMonth(now), -3)), to: toStart(addMonths(toMonth(now), -2)) },
};
const filters: Record<string, Partial<UsageFilter>> = {
  account: {},
  key: { keyId: toKeyId(7, 3) },
  model: { model: 'acme-code' },
  'rare model': { model: 'acme-rare' },
  'key and model': { keyId: toKeyId(7, 3), model: 'acme-vision' },
  'key and rare model': { keyId: toKeyId(7, 3), model: 'acme-rare' },
  'key of another account': { keyId: toKeyId(8, 1) },
  'model that nobody used': { model: 'acme-unknown' },
};

const cases = Object.entries(filters).flatMap(([what, filter]) =>
  Object.entries(spans).map(([when, span]) => ({ what, when, filter: { ...filter, ...span } })),
);

test.each(cases)('the log by $what over $when reads little more than its page', async ({ when, filter }) => {
  await log(filter);
  const scans = explainer.scans();
  expect(readWhole(scans)).toEqual([]);
  expect(sum(scans.map(({ removed }) => removed))).toBeLessThanOrEqual(4 * PAGE);
  // One row more, and one at hand in each partition; a day of an account is hardly more, and may be read whole.
  const more = when === 'one day' ? PAGE : 12;
  expect(sum(scans.map(({ found }) => found))).toBeLessThanOrEqual(PAGE + 1 + more);
  // What of the page is disputed is read from the reviews.
  const ofLog = scans.filter(({ table }) => table !== 'usage_review');
  if (when !== 'all time') expect(tables(ofLog)).toBe(1);
});

test.each(Object.keys(filters).slice(0, 5))(
  'a page of the log by %s costs the same deep in as at the beginning',
  async (what) => {
    const cost = (scans: readonly Scan[]) => sum(scans.map(({ found, removed }) => found + removed));
    const filter = { ...filters[what], to: toStart(month(-1)) };
    const first = await log(filter);
    const atFirst = cost(explainer.scans());
    const [row] = await environment.database.query(
      'SELECT request_id, occurred_at FROM billing.usage WHERE occurred_at >= $1 ORDER BY occurred_at LIMIT 1',
      [`${month(1)}-15T00:00:00Z`],
    );
    const { request_id, occurred_at } = row as { request_id: string; occurred_at: Date };
    const cursor = Buffer.from(JSON.stringify([occurred_at.toISOString(), request_id])).toString('base64url');
    const deep = await log({ ...filter, cursor });
    const scans = explainer.scans();
    expect(readWhole(scans)).toEqual([]);
    expect(cost(scans)).toBeLessThanOrEqual(atFirst + 12 + 4 * PAGE);
    expect(tables(scans)).toBeLessThan(months.length);
    expect(deep.items).not.toEqual(first.items);
    expect(deep.items.length).toBeGreaterThan(0);
  },
);

test('the log by request reads the row of the request alone, however old it is and if there is none', async () => {
  const [row] = await environment.database.query(
    'SELECT request_id FROM billing.usage WHERE account_id = $1 ORDER BY occurred_at LIMIT 1',
    [accountId],
  );
  const oldest = (row as { request_id: string }).request_id;
  for (const [requestId, rows] of [
    [oldest, 1],
    ['req_of_nobody', 0],
  ] as const) {
    const { items } = await log({ requestId });
    const scans = explainer.scans();
    expect(items).toHaveLength(rows);
    expect(readWhole(scans)).toEqual([]);
    expect(sum(scans.map(({ found, removed }) => found + removed))).toBe(rows);
  }
});

test.each(MARGIN_GROUPS)(
  'margins of a week by %s read that week, and no month that begins later',
  async (groupBy) => {
    const week = { from: `${month(2)}-08T00:00:00Z`, to: `${month(2)}-15T00:00:00Z` };
    const { total } = await readMargins(explainer.database, { groupBy, ...week });
    const scans = explainer.scans().filter(({ table }) => table !== 'account');
    const { requests } = total;
    expect(requests).toBeGreaterThan(ROWS_PER_MONTH / 5);
    expect(readWhole(scans)).toEqual([]);
    const found = sum(scans.filter(({ kind }) => kind !== 'Bitmap Index Scan').map((scan) => scan.found));
    expect(found).toBe(requests);
    expect(sum(scans.map(({ removed }) => removed))).toBeLessThan(requests / 2);
    expect(tables(scans)).toBeLessThanOrEqual(MONTHS);
  },
);

test('a summary of 90 days reads the kept hours of its account, and of the log what response times need', async () => {
  await environment.database.query("INSERT INTO billing.account (id, name) VALUES ($1, 'of many rows')", [
    accountId,
  ]);
  await environment.database.transaction(async (manager) => {
    for (const n of SUMMED_ACCOUNTS) {
      await rebuildHours(manager, toAccountId(n));
      await rebuildAccountHours(manager, toAccountId(n));
    }
  });
  await environment.database.query('ANALYZE billing.usage_hour; ANALYZE billing.account_hour');
  const hoursIn = async (table: string): Promise<number> => {
    const [row] = await environment.database.query(
      `SELECT count(*)::int AS hours FROM billing.${table} WHERE account_id = $1`,
      [accountId],
    );
    return (row as { hours: number }).hours;
  };
  const span = { from: toStart(month(-3)), to: toStart(addMonths(month(-1), 1)) };
  const read = async (by: 'model' | 'key' | 'status') => {
    explainer.scans();
    await usageSummary(explainer.database, { accountId, ...span, bucket: 'day', by });
    const scans = explainer
      .scans()
      .filter(({ table, kind }) => table !== 'account' && kind !== 'Bitmap Index Scan');
    expect(readWhole(scans.filter(({ table }) => table !== 'api_key'))).toEqual([]);
    const rowsOf = (isMatch: (table: string) => boolean) =>
      sum(scans.filter(({ table }) => isMatch(table)).map(({ found, removed }) => found + removed));
    return {
      byKey: rowsOf((table) => table === 'usage_hour'),
      whole: rowsOf((table) => table === 'account_hour'),
      log: rowsOf((table) => table.startsWith('usage_') && table !== 'usage_hour'),
    };
  };
  const [byKey, whole] = [await hoursIn('usage_hour'), await hoursIn('account_hour')];

  const models = await read('model');
  // The series, the outcomes and what was spent.
  expect(models.whole).toBeLessThanOrEqual(3 * whole);
  expect(models.byKey).toBe(0);
  expect(models.log).toBeLessThanOrEqual(2_000 + MONTHS);
  const keys = await read('key');
  // Which keys, and their series.
  expect(keys.byKey).toBeLessThanOrEqual(2 * byKey);
  expect(keys.whole).toBeLessThanOrEqual(2 * whole);
});

test('an overview of a day reads the hours of the day alone, and of the log the newest requests', async () => {
  const { database } = environment;
  await database.query(
    `INSERT INTO billing.served_hour (hour, upstream, model, outcome, ${SERVED_SUMS.join(', ')})
     ${await servedHours(database)}; ANALYZE billing.served_hour`,
  );
  const [whole] = await database.query('SELECT count(*)::int AS rows FROM billing.served_hour');
  const day = addMonths(toMonth(now), -2);
  const span = { from: `${day}-10T00:00:00Z`, to: `${day}-11T00:00:00Z` };
  explainer.scans();
  const { requests, buckets } = await readOverview(explainer.database, {
    zoneOf: accountId,
    bucket: 'hour',
    ...span,
  });
  expect(buckets).toHaveLength(24);
  expect(requests).toBeGreaterThan(1_000);
  const scans = explainer.scans().filter(({ kind }) => kind !== 'Bitmap Index Scan');
  const rowsOf = (name: string) =>
    sum(scans.filter(({ table }) => table === name).map(({ found, removed }) => found + removed));
  const { rows } = whole as { rows: number };
  expect(rowsOf('served_hour')).toBeGreaterThan(24);
  expect(rowsOf('served_hour')).toBeLessThan(rows / 50);
  const logged = scans.filter(({ table }) => table.startsWith('usage'));
  // The newest five thousand by their numbers, and of each month the first that is compared.
  expect(sum(logged.map(({ found, removed }) => found + removed))).toBeLessThan(5_000 + 2 * MONTHS);
  // Of the summed accounts the hours of the day, and of one that has a limit the last three days.
  expect(rowsOf('account_hour')).toBeLessThan(24 * 5 * (SUMMED_ACCOUNTS.length + 3));
});

/** The planner believes so: posting-plans.spec.ts and its like ask the rest of what is asked of such books. */
describe('in books of a hundred million requests', () => {
  const last = ROWS_PER_MONTH * MONTHS;
  beforeAll(() => believeInMoreRows(environment.database, 100_000_000 / last));

  test.each(Object.keys(filters))('a page of the log by %s reads little more than its page', async (what) => {
    explainer.scans();
    await log({ ...filters[what], ...spans['one month'] });
    const scans = explainer.scans();
    expect(readWhole(scans.filter(({ table }) => table !== 'usage_review'))).toEqual([]);
    expect(rowsRead(scans)).toBeLessThanOrEqual(5 * PAGE + 13);
  });
});
