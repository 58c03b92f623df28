// Databases are migrated at once, step by step, and with rows in them; then their schemas and rows are compared. Tests
// add later migrations of their own: right ones, and ones that must be noticed.
import {
  createTestDatabase,
  describeSchema,
  digestRows,
  listColumns,
  type TestDatabase,
} from '@tollgate/harness';
import type { Migrations } from '@tollgate/platform/process';
import { BASELINE_ROWS } from '../../testing/baseline-rows.ts';
import { postingThatCosts } from '../../testing/bookkeeping.ts';
import {
  makeBaseline,
  makeUpgraded,
  migrateAll,
  migration,
  query,
  upTo,
} from '../../testing/migrated-databases.ts';
import { auditAllSums, completeAudit } from '../../testing/complete-audit.ts';
import { planOperation } from '../ledger/plan-operation.ts';
import { rebuildMonths } from '../periods/month-sums.ts';
import { usageRows } from '../periods/usage-rows.ts';
import { METER_COLUMNS, UNIT_COLUMNS } from '../usage/meter-columns.ts';
import { postBatch } from '../usage/post-batch.ts';
import { rebuildAccountHours, rebuildHours } from '../usage/usage-hours.ts';
import { createDataSource } from './data-source.ts';
import { migrate, MIGRATIONS } from './migrate.ts';

const databases: TestDatabase[] = [];
async function create(prepare?: (url: string) => Promise<void>): Promise<TestDatabase> {
  const database = await createTestDatabase(prepare);
  databases.push(database);
  return database;
}
afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop();
});

const run = (database: TestDatabase, migrations: Migrations) =>
  migrate(database.url, database.serviceUrl('billing'), migrations);
const describe = ({ url }: TestDatabase) => describeSchema(url, ['billing', 'billing_archive']);

/** A database of the baseline that has rows, and is then brought up to date one by one. */
async function upgrade(migrations: Migrations): Promise<TestDatabase> {
  const database = await create(makeUpgraded);
  for (let count = MIGRATIONS.length; count <= migrations.length; count += 1)
    await run(database, upTo(migrations, count));
  return database;
}

/** A database that has everything before the first row is written. */
async function makeFresh(migrations: Migrations): Promise<TestDatabase> {
  const database = await create(migrateAll);
  await run(database, migrations);
  await query(database, BASELINE_ROWS);
  return database;
}

const LATER: Migrations = [
  ...MIGRATIONS,
  migration(1, `ALTER TABLE billing.usage ADD tokens_probe bigint NOT NULL DEFAULT 0`),
  migration(2, `CREATE TABLE billing.probe (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, note text)`),
];

const expectSame = async (one: TestDatabase, other: TestDatabase): Promise<void> => {
  expect(await describe(one)).toEqual(await describe(other));
  expect(await digestRows(one.url, 'billing')).toEqual(await digestRows(other.url, 'billing'));
};

test('a new database and one that was upgraded step by step have the same schema and the same sums', async () => {
  // Neither is a copy, and the service has its role from the first step on.
  const [fresh, upgraded] = [await create(), await create()];
  await run(fresh, MIGRATIONS);
  await query(fresh, BASELINE_ROWS);
  await run(upgraded, upTo(MIGRATIONS, 1));
  await query(upgraded, BASELINE_ROWS);
  for (let count = 2; count <= MIGRATIONS.length; count += 1) await run(upgraded, upTo(MIGRATIONS, count));
  await expectSame(upgraded, fresh);
});

test('so have they with migrations that come later', async () => {
  await expectSame(await upgrade(LATER), await makeFresh(LATER));
});

test('what a database had before it was upgraded, it has afterwards', async () => {
  const database = await create(makeBaseline);
  const columns = await listColumns(database.url, 'billing');
  const before = await digestRows(database.url, 'billing', columns);
  expect(Object.values(before).filter((digest) => !digest.startsWith('0 ')).length).toBeGreaterThan(14);
  await run(database, LATER);
  expect(await digestRows(database.url, 'billing', columns)).toEqual(before);
});

test('sums that are worked out again from the rows are those that triggers kept', async () => {
  const database = await upgrade(MIGRATIONS);
  const before = await digestRows(database.url, 'billing');
  const source = await createDataSource(database.url).initialize();
  await source.transaction(async (manager) => {
    await rebuildHours(manager);
    await rebuildAccountHours(manager);
    await rebuildMonths(manager);
  });
  await source.destroy();
  expect(await digestRows(database.url, 'billing')).toEqual(before);
});

/** Of each row of the baseline one more, with units of every kind. */
const ROWS_WITH_UNITS = `
  INSERT INTO billing.usage SELECT (jsonb_populate_record(u, jsonb_build_object('request_id', request_id || '_units',
      'number', number + 100, 'lines', '[]'::jsonb, ${UNIT_COLUMNS.map((name, n) => `'${name}', number * ${n + 2}`).join(', ')}))).*
    FROM billing.usage u;
  UPDATE billing.journal SET last_number = 161`;
const BEFORE_UNITS_BY_HOUR = 3;

test('units that were used before hours had them are in the hours of an upgraded database', async () => {
  const database = await create();
  await run(database, upTo(MIGRATIONS, BEFORE_UNITS_BY_HOUR));
  await query(database, BASELINE_ROWS);
  await query(database, ROWS_WITH_UNITS);
  // A month that was taken out of the log is in the hours as well.
  await query(database, `SELECT billing.detach_usage_partition(date_trunc('month', now(), 'UTC')::date)`);
  const [{ hours } = { hours: 0 }] = await query<{ hours: number }>(
    database,
    `SELECT count(*)::int AS hours FROM billing.usage_hour`,
  );
  await run(database, MIGRATIONS);
  const sum = UNIT_COLUMNS.map((name) => `sum(${name})::text AS ${name}`).join(', ');
  const [byKey, whole, months] = await Promise.all(
    ['usage_hour', 'account_hour', 'usage_month'].map((table) =>
      query<Record<string, string>>(database, `SELECT ${sum} FROM billing.${table}`),
    ),
  );
  expect(hours).toBeGreaterThan(20);
  expect(Object.values(months?.[0] ?? {}).map(Number)).toEqual(UNIT_COLUMNS.map((_, n) => 1_830 * (n + 2)));
  expect([byKey, whole]).toEqual([months, months]);
  const source = await createDataSource(database.url).initialize();
  const differences = await auditAllSums(source.manager).finally(() => source.destroy());
  expect(differences.filter(({ check }) => check.includes('hour'))).toEqual([]);
});

test('hours of upstreams are those of all usage and lost attempts that there were before', async () => {
  const database = await create();
  await run(database, upTo(MIGRATIONS, 6));
  await query(database, BASELINE_ROWS);
  await query(database, `SELECT billing.detach_usage_partition(date_trunc('month', now(), 'UTC')::date)`);
  await run(database, MIGRATIONS);
  const [kept] = await query<Record<string, string>>(
    database,
    `SELECT count(*) FILTER (WHERE outcome = 'lost') > 0 AS lost, sum(requests)::text AS requests,
       sum(cost_pico)::text AS charged, sum(upstream_cost_pico)::text AS cost, sum(unknown_cost_pico)::text AS unknown
     FROM billing.served_hour`,
  );
  const source = await createDataSource(database.url).initialize();
  try {
    const rows = await usageRows(source, ['cost_pico', 'upstream_cost_pico']);
    const [logged] = await source.query<Record<string, string>[]>(
      `SELECT bool_or(is_lost) AS lost, count(*)::text AS requests, sum(cost_pico)::text AS charged,
         sum(upstream_cost_pico)::text AS cost, coalesce(sum(cost_pico) FILTER (WHERE upstream_cost_pico IS NULL), 0)::text AS unknown
       FROM (SELECT *, false AS is_lost FROM (${rows}) AS usage
         UNION ALL SELECT 0, upstream_cost_pico, true FROM billing.lost_attempt) AS logged`,
    );
    expect(kept).toEqual(logged);
    expect(Number(kept?.['cost'])).toBeGreaterThan(0);
    const differences = await auditAllSums(source.manager);
    expect(differences.filter(({ check }) => check.startsWith('served'))).toEqual([]);
  } finally {
    await source.destroy();
  }
});

test.each([
  [
    'depends on the rows that there are',
    `DO $$ BEGIN IF EXISTS (SELECT FROM billing.usage) THEN ALTER TABLE billing.usage ADD probe text; END IF; END $$`,
  ],
  [
    'adds a trigger to the months that there are only',
    `DO $$ DECLARE part regclass; BEGIN
       FOR part IN SELECT inhrelid FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
         WHERE inhparent = 'billing.usage'::regclass AND c.relname <> 'usage_default' AND EXISTS (SELECT FROM billing.usage)
       LOOP EXECUTE format('CREATE TRIGGER probe AFTER DELETE ON %s EXECUTE FUNCTION billing.refuse_change()', part);
       END LOOP; END $$`,
  ],
])('a migration that %s makes two schemas, and is noticed', async (_, sql) => {
  const bad: Migrations = [...MIGRATIONS, migration(1, sql)];
  const [fresh, upgraded] = [await makeFresh(bad), await upgrade(bad)];
  expect(await describe(upgraded)).not.toEqual(await describe(fresh));
});

test('a trigger that sums otherwise from now on makes two databases of the same rows, and is noticed', async () => {
  const [row] = await query<{ body: string }>(
    await makeFresh(MIGRATIONS),
    `SELECT pg_get_functiondef('billing.add_usage_hours'::regproc) AS body`,
  );
  const changed = row?.body.replace('u.tokens_output + u.tokens_output_reasoning', 'u.tokens_output') ?? '';
  expect(changed).not.toBe(row?.body);
  const bad: Migrations = [...MIGRATIONS, migration(1, changed)];
  const [fresh, upgraded] = [await makeFresh(bad), await upgrade(bad)];
  expect(await describe(upgraded)).toEqual(await describe(fresh));
  const [ofFresh, ofUpgraded] = [
    await digestRows(fresh.url, 'billing'),
    await digestRows(upgraded.url, 'billing'),
  ];
  expect(Object.keys(ofFresh).filter((table) => ofFresh[table] !== ofUpgraded[table])).toEqual([
    'account_hour',
    'usage_hour',
  ]);
});

/** The tables with a column for each kind of token and unit, and the triggers that sum them. */
const TABLES = ['lost_attempt', 'usage', 'usage_month'];
const SUMMING = ['add_usage_hours', 'add_usage_months'];
/** Of tokens they have the sums alone. */
const HOURS = ['account_hour', 'usage_hour'];

/** Which of the kinds stand where: every table and every trigger must have all of them, and no others. */
async function readMeterColumns(database: TestDatabase): Promise<Record<string, string[]>> {
  const rows = await query<{ place: string; kind: string }>(
    database,
    `SELECT c.relname AS place, a.attname AS kind
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND (a.attname LIKE 'tokens\\_%' OR a.attname LIKE 'units\\_%') AND NOT a.attisdropped
     WHERE c.relnamespace = 'billing'::regnamespace AND c.relname IN (${[...TABLES, ...HOURS].map((name) => `'${name}'`).join(', ')})
       AND a.attname NOT IN ('tokens_in', 'tokens_out')
     UNION
     SELECT p.proname, kind[1] FROM pg_proc p CROSS JOIN LATERAL regexp_matches(p.prosrc, '\\m((?:tokens|units)_\\w+)', 'g') AS kind
     WHERE p.pronamespace = 'billing'::regnamespace AND p.proname IN (${SUMMING.map((name) => `'${name}'`).join(', ')})
       AND kind[1] NOT IN ('tokens_in', 'tokens_out')`,
  );
  return Object.fromEntries(
    [...TABLES, ...HOURS, ...SUMMING].map((place) => [
      place,
      rows.flatMap((row) => (row.place === place ? [row.kind] : [])).sort(),
    ]),
  );
}

test('every kind of token and unit has its column in each table of usage, and is summed by each trigger', async () => {
  const database = await create(migrateAll);
  // Red after a kind was added or renamed: write a migration that adds it to these tables and functions.
  expect(await readMeterColumns(database)).toEqual(
    Object.fromEntries([
      ...[...TABLES, ...SUMMING].map((place) => [place, [...METER_COLUMNS].sort()]),
      ...HOURS.map((place) => [place, [...UNIT_COLUMNS].sort()]),
    ]),
  );
});

test('a kind that a migration adds to one table only is noticed', async () => {
  const database = await create(migrateAll);
  await run(database, LATER);
  const found = await readMeterColumns(database);
  expect(found['usage']).toEqual([...METER_COLUMNS, 'tokens_probe'].sort());
  expect(found['usage_month']).toEqual([...METER_COLUMNS].sort());
});

test('requests that have a transaction each are proven, refunded and not posted again beside those that share one', async () => {
  const { url } = await upgrade(MIGRATIONS);
  const source = await createDataSource(url).initialize();
  const [old]: { request_id: string; account_id: string; cost: string }[] = await source.query(
    `SELECT request_id, account_id, cost_pico::text AS cost FROM billing.usage WHERE number = 4`,
  );
  const { request_id = '', account_id = '', cost = '' } = old ?? {};
  const posted = await postBatch(
    source,
    [
      postingThatCosts(7, { request_id, account_id }),
      ...[5, 6].map((pico) => postingThatCosts(pico, { account_id })),
    ],
    [],
  );
  expect(posted.map(({ number, costPico }) => [number, costPico])).toEqual([
    [63, 5n],
    [64, 6n],
  ]);
  const operation = { kind: 'refund', request_id, reason: 'a reason' } as const;
  const refund = await source.transaction((manager) => planOperation(manager, operation));
  expect(refund).toMatchObject({
    corrects: 4,
    refundedRequest: request_id,
    entries: [{}, { amountPico: BigInt(cost) }],
  });
  const { differences, to } = await completeAudit(source);
  expect([to, differences.filter(({ number }) => number !== undefined)]).toEqual([64, []]);
  await source.destroy();
});
