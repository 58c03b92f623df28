import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addKey } from '../../testing/keys.ts';
import { type EventFields, snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { createDataSource } from '../database/data-source.ts';
import { completeAudit } from '../../testing/complete-audit.ts';
import { postBatch } from './post-batch.ts';
import { type Posting, computePosting } from './posting.ts';

const snapshot = snapshotWith({ input: 7, output: 11 }, '1');

let environment: TestEnvironment;
beforeEach(async () => {
  environment = await startTestEnvironment();
});
afterEach(() => environment.stop());

function posting(of: EventFields): Posting {
  const result = computePosting(usageEvent(of), snapshot);
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}

const query = <T>(sql: string): Promise<T[]> => environment.database.query(sql);
const shuffled = <T>(list: readonly T[], seed: number): T[] =>
  list
    .map((value, index) => ({ value, at: ((index + 1) * (seed * 2 + 1) * 7_919) % 10_007 }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
const chunks = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );

test('eight posters of the same events in different orders post each exactly once', async () => {
  const { accountId } = environment.first;
  const keys = await Promise.all([1, 2, 3, 4, 5].map(() => addKey(environment.database, { accountId })));
  const postings = Array.from({ length: 500 }, (_, index) =>
    posting({
      account_id: accountId,
      key_id: keys[index % keys.length]?.id ?? '',
      tokens: { input: index, output: 1 },
    }),
  );
  const replicas = await Promise.all(
    [1, 2].map(() => createDataSource(environment.databaseUrl).initialize()),
  );
  const posted = await Promise.all(
    Array.from({ length: 8 }, async (_, poster) => {
      const database = replicas[poster % replicas.length] ?? environment.database;
      let count = 0;
      for (const batch of chunks(shuffled(postings, poster), 70)) {
        count += (await postBatch(database, batch, [])).length;
      }
      return count;
    }),
  );
  await Promise.all(replicas.map((replica) => replica.destroy()));

  expect(posted.reduce((sum, count) => sum + count, 0)).toBe(500);
  expect(
    await query(`SELECT count(*)::int AS rows, count(DISTINCT request_id)::int AS ids FROM billing.usage`),
  ).toEqual([{ rows: 500, ids: 500 }]);
  const total = postings.reduce((sum, { costPico }) => sum + costPico, 0n);
  expect(total).toBe(7n * ((499n * 500n) / 2n) + 11n * 500n);
  expect(
    await query(
      `SELECT ledger_account, sum(amount_pico)::text AS sum FROM billing.ledger_entry GROUP BY 1 ORDER BY 1`,
    ),
  ).toEqual([
    { ledger_account: `customer:${accountId}`, sum: String(-total) },
    { ledger_account: 'revenue:acme', sum: String(total) },
  ]);
  for (const [index, key] of keys.entries()) {
    const spent = postings
      .filter((_, at) => at % keys.length === index)
      .reduce((sum, { costPico }) => sum + costPico, 0n);
    expect(
      await query(`SELECT spent_pico::text AS spent FROM billing.api_key WHERE id = '${key.id}'`),
    ).toEqual([{ spent: String(spent) }]);
  }
});

test('an event that stands twice in one batch is posted once', async () => {
  const twice = posting({ request_id: 'req_twice' });
  expect(await postBatch(environment.database, [twice, twice], [])).toEqual([
    { ...twice, number: expect.any(Number) },
  ]);
  expect(await postBatch(environment.database, [twice], [])).toEqual([]);
  expect(await query('SELECT request_id, cost_pico::text AS cost FROM billing.usage')).toEqual([
    { request_id: 'req_twice', cost: '76' },
  ]);
  expect(await query('SELECT count(*)::int AS entries FROM billing.ledger_entry')).toEqual([{ entries: 2 }]);
});

test('what costs nothing has a usage row and a transaction without entries', async () => {
  expect(await postBatch(environment.database, [posting({ tokens: {} })], [])).toHaveLength(1);
  expect(await query('SELECT cost_pico::text AS cost FROM billing.usage')).toEqual([{ cost: '0' }]);
  expect(
    await query(`SELECT (SELECT count(*)::int FROM billing.ledger_transaction) AS transactions,
      (SELECT count(*)::int FROM billing.ledger_entry) AS entries`),
  ).toEqual([{ transactions: 1, entries: 0 }]);
});

test('every kind of token has its own column', async () => {
  await postBatch(environment.database, [posting({ tokens: { input_audio: 2, cache_write_1h: 3 } })], []);
  expect(
    await query(
      `SELECT tokens_input::int, tokens_input_audio::int, tokens_cache_write_1h::int FROM billing.usage`,
    ),
  ).toEqual([{ tokens_input: 0, tokens_input_audio: 2, tokens_cache_write_1h: 3 }]);
});

test('rejected events are kept with their reason, each request once', async () => {
  const event = usageEvent({ request_id: 'req_rejected' });
  const rejected = [
    { requestId: 'req_rejected', reason: 'no such model', event },
    { requestId: null, reason: 'no event', event: { broken: true } },
  ];
  await postBatch(environment.database, [], rejected);
  await postBatch(environment.database, [], rejected.slice(0, 1));
  expect(
    await query(
      'SELECT request_id, reason, event FROM billing.usage_rejected ORDER BY request_id NULLS LAST',
    ),
  ).toEqual([
    { request_id: 'req_rejected', reason: 'no such model', event },
    { request_id: null, reason: 'no event', event: { broken: true } },
  ]);
});

test('what a key spent is kept by day and month of its account, in whatever order events come', async () => {
  const { accountId } = environment.first;
  await environment.database.query(`UPDATE billing.account SET time_zone = 'Asia/Tokyo' WHERE id = $1`, [
    accountId,
  ]);
  const key = await addKey(environment.database, { accountId });
  const at = (occurred_at: string) => posting({ account_id: accountId, key_id: key.id, occurred_at });
  await postBatch(environment.database, [at('2026-11-30T15:00:00.000Z'), at('2026-11-30T14:59:59.999Z')], []);
  await postBatch(environment.database, [at('2026-11-30T14:00:00.000Z')], []);
  expect(
    await query(
      `SELECT span, starts_on::text, spent_pico::int AS spent FROM billing.key_spend ORDER BY starts_on, span`,
    ),
  ).toEqual([
    { span: 'month', starts_on: '2026-11-01', spent: 152 },
    { span: 'day', starts_on: '2026-11-30', spent: 152 },
    { span: 'day', starts_on: '2026-12-01', spent: 76 },
    { span: 'month', starts_on: '2026-12-01', spent: 76 },
  ]);
});

test('numbers have no gaps, and what is posted late is booked in the open period', async () => {
  const { accountId } = environment.first;
  await postBatch(
    environment.database,
    [posting({ account_id: accountId }), posting({ account_id: accountId })],
    [],
  );
  await environment.database.query(
    `UPDATE billing.account SET closed_until = '2026-12-01T00:00:00Z' WHERE id = $1`,
    [accountId],
  );
  const twice = posting({ account_id: accountId, occurred_at: '2026-11-30T23:59:59.999Z' });
  await postBatch(environment.database, [twice], []);
  await postBatch(
    environment.database,
    [twice, posting({ account_id: accountId, occurred_at: '2026-12-01T00:00:01.000Z' })],
    [],
  );
  const rows = (table: string) =>
    query(`SELECT number::int, occurred_at, booked_at FROM billing.${table} ORDER BY number`);
  const early = new Date('2026-11-21T10:00:00Z');
  const expected = [
    { number: 1, occurred_at: early, booked_at: early },
    { number: 2, occurred_at: early, booked_at: early },
    {
      number: 3,
      occurred_at: new Date('2026-11-30T23:59:59.999Z'),
      booked_at: new Date('2026-12-01T00:00:00Z'),
    },
    { number: 4, occurred_at: new Date('2026-12-01T00:00:01Z'), booked_at: new Date('2026-12-01T00:00:01Z') },
  ];
  expect(await rows('usage')).toEqual(expected);
  // The first two have one transaction, which stands at the last of them.
  expect(await rows('ledger_transaction')).toEqual(expected.slice(1));
});

test('a balance is the fold of its entries', async () => {
  const { accountId } = environment.first;
  for (const input of [1, 2, 3])
    await postBatch(environment.database, [posting({ account_id: accountId, tokens: { input } })], []);
  expect(
    await query(
      'SELECT account_id, balance_pico::int AS balance, last_number::int FROM billing.account_balance',
    ),
  ).toEqual([{ account_id: accountId, balance: -42, last_number: 3 }]);
});

test('the newest use of a key is remembered, in whatever order events come', async () => {
  const { accountId } = environment.first;
  const key = await addKey(environment.database, { accountId });
  const usedAt = (occurred_at: string) => posting({ key_id: key.id, occurred_at });
  await postBatch(
    environment.database,
    // The third counts in an hour's other quarter.
    ['10:20:02', '10:20:01', '10:00:01'].map((time) => usedAt(`2026-11-21T${time}.000Z`)),
    [],
  );
  await postBatch(environment.database, [usedAt('2026-11-21T09:00:00.000Z')], []);
  expect(await query(`SELECT last_used_at FROM billing.api_key WHERE id = '${key.id}'`)).toEqual([
    { last_used_at: new Date('2026-11-21T10:20:02.000Z') },
  ]);
});

test('requests that are posted together have one transaction for each account and quarter of an hour', async () => {
  const { accountId } = environment.first;
  const other = '0198f1c2-7d1e-7000-8000-00000000000e';
  const at = (account_id: string, time: string, of: EventFields = {}) =>
    posting({ account_id, occurred_at: `2026-11-21T${time}.000Z`, tokens: { input: 1 }, ...of });
  const posted = await postBatch(
    environment.database,
    [
      at(accountId, '10:14:59'),
      at(other, '10:00:01'),
      at(accountId, '10:00:00'),
      at(accountId, '10:15:00'),
      at(accountId, '10:01:00', { lost: 'timeout' }),
      at(other, '10:00:00', { tokens: {} }),
      at(accountId, '10:01:00', { request_id: 'req_1.1', lost: 'hedge' }),
    ],
    [],
  );
  expect(posted.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(
    await query(`SELECT t.number::int, numbers, kind, to_char(booked_at AT TIME ZONE 'UTC', 'HH24:MI:SS') AS booked,
        (SELECT coalesce(json_object_agg(split_part(ledger_account, ':', 1), amount_pico), '{}') FROM billing.ledger_entry e
         WHERE e.number = t.number) AS entries
      FROM billing.ledger_transaction t ORDER BY number`),
  ).toEqual([
    { number: 2, numbers: 2, kind: 'usage', booked: '10:00:00', entries: { customer: -14, revenue: 14 } },
    { number: 4, numbers: 2, kind: 'usage', booked: '10:00:00', entries: { customer: -7, revenue: 7 } },
    { number: 5, numbers: 1, kind: 'usage', booked: '10:15:00', entries: { customer: -7, revenue: 7 } },
    { number: 7, numbers: 2, kind: 'lost_attempt', booked: '10:01:00', entries: {} },
  ]);
  expect((await completeAudit(environment.database)).differences).toEqual([]);
});

test.each([
  ['a second later', '2026-11-21T10:00:01.000Z'],
  ['in the next month', '2026-12-01T00:00:01.000Z'],
])('a request that two gateways tell of, the other one %s, is posted once', async (_when, later) => {
  const databases = await Promise.all(
    [1, 2].map(() => createDataSource(environment.databaseUrl).initialize()),
  );
  for (let round = 0; round < 10; round += 1) {
    const one = posting({});
    const other = posting({ request_id: one.event.request_id, occurred_at: later });
    const [database, another] = round % 2 === 0 ? databases : databases.toReversed();
    if (!database || !another) throw new Error('two replicas');
    const posted = await Promise.all([postBatch(database, [one], []), postBatch(another, [other], [])]);
    expect(posted.flat()).toHaveLength(1);
  }
  await Promise.all(databases.map((database) => database.destroy()));
  expect(
    await query(
      'SELECT count(*)::int AS rows, count(DISTINCT request_id)::int AS requests FROM billing.usage',
    ),
  ).toEqual([{ rows: 10, requests: 10 }]);
});

test('a month of the log refuses a request that it has', async () => {
  await postBatch(environment.database, [posting({ request_id: 'req_once' })], []);
  await expect(
    query(`CREATE TEMPORARY TABLE again AS SELECT * FROM billing.usage;
      UPDATE again SET occurred_at = occurred_at + interval '1 second', number = 2;
      INSERT INTO billing.usage SELECT * FROM again`),
  ).rejects.toThrow('usage_2026_11_once');
});
