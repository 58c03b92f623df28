// What audits and verifications find once a month was dropped is what they found while its rows were there. No billing runs on
// these books, which would go on with a drop that a test left half done.
import fc from 'fast-check';
import type { EntityManager } from 'typeorm';
import { postingThatCosts } from '../../testing/bookkeeping.ts';
import { at, NEXT, OLD, OldBooks } from '../../testing/old-books.ts';
import { dropSlice, runDrop } from './drop-partition.ts';
import { listPartitions, partitionName } from './partitions.ts';
import { postBatch } from './post-batch.ts';
import { lookUpPosted } from './posted-requests.ts';

const KEYS = ['0198f1c2-7d1e-7000-9000-000000000001', '0198f1c2-7d1e-7000-9000-000000000002'];

let books: OldBooks;
beforeEach(async () => {
  books = await OldBooks.start();
});
afterEach(() => books.environment.stop());

const tamper = (statement: string) =>
  books.environment.database.transaction(async (manager) => {
    await manager.query(`SET LOCAL session_replication_role = 'replica'`);
    await manager.query(statement);
  });
const isDropped = async () =>
  (await books.query('SELECT FROM billing.usage_drop WHERE ended_at IS NULL')).length === 0;

const request = fc.record({
  // Most of them where months meet, on one clock or another.
  minutes: fc.oneof(
    fc.constantFrom(5, 6, 7, 1_000),
    fc.integer({ min: -800, max: 800 }),
    fc.integer({ min: 0, max: 30 * 24 * 60 }),
  ),
  account: fc.nat(1),
  cost: fc.nat(1_000),
  upstreamPico: fc.option(fc.nat(500), { nil: undefined }),
  key_id: fc.constantFrom(...KEYS),
  upstream: fc.constantFrom('east', 'west'),
  outcome: fc.constantFrom('completed' as const, 'upstream_cut' as const),
  isLost: fc.boolean(),
});

test('whatever a month holds, nothing is found wrong behind any slice of its drop', async () => {
  let isFirst = true;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(request, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 2, max: 6 }),
      async (batches, slice) => {
        if (!isFirst) {
          await books.environment.stop();
          books = await OldBooks.start();
        }
        isFirst = false;
        for (const batch of batches)
          await books.post(
            ...batch.map(({ minutes, account, isLost, cost, ...of }) => ({
              ...of,
              // Nobody pays for an attempt that brought nothing.
              cost: isLost ? 0 : cost,
              ...(isLost ? { lost: 'timeout' as const } : {}),
              account_id: books.accounts[account] ?? '',
              occurred_at: new Date(Date.parse(at(NEXT, '01', '00:00')) - minutes * 60_000).toISOString(),
            })),
          );
        await books.takeOut();
        await books.begin();
        const next = () =>
          books.environment.database.transaction((manager) => dropSlice(manager, OLD, slice));
        for (let goesOn = true; goesOn;) {
          goesOn = await next();
          expect(await books.findWrong()).toEqual([]);
        }
        expect(await isDropped()).toBe(true);
        expect(
          await books.query('SELECT FROM billing.lost_attempt WHERE occurred_at >= $1 AND occurred_at < $2', [
            at(OLD, '01', '00:00'),
            at(NEXT, '01', '00:00'),
          ]),
        ).toEqual([]);
      },
    ),
    { numRuns: 12, endOnFailure: true },
  );
}, 180_000);

test.each([
  [
    'an entry that pays for it',
    'UPDATE billing.ledger_entry SET amount_pico = 2 * amount_pico WHERE number = 1',
    ['balance_differs_from_entries', 'ledger_month_differs_from_entries', 'digest'],
  ],
  [
    'the sums of its month',
    'UPDATE billing.usage_month SET cost_pico = 1 + cost_pico',
    [
      'usage_month_differs_from_usage',
      'usage_month_differs_from_ledger_month',
      'key_spend_differs_from_usage_month',
    ],
  ],
  [
    'the sums of its hours',
    `UPDATE billing.usage_hour SET cost_pico = 1 + cost_pico WHERE hour < '${NEXT}-01'`,
    ['usage_hour_differs_from_usage', 'account_hour_differs_from_usage_hour'],
  ],
  [
    'the sums of its upstreams',
    `UPDATE billing.served_hour SET requests = 1 + requests WHERE hour < '${NEXT}-01'`,
    ['served_hour_differs_from_usage'],
  ],
  [
    'what it came to',
    'UPDATE billing.usage_rollup SET cost_pico = 1 + cost_pico WHERE number = 2',
    [
      'usage_month_differs_from_usage',
      'usage_hour_differs_from_usage',
      'served_hour_differs_from_usage',
      'totals.usage',
    ],
  ],
  [
    'the numbers that it had',
    'UPDATE billing.usage_rollup_numbers SET last = last - 1',
    ['transaction_without_usage'],
  ],
  [
    'a row that has a number of it',
    `INSERT INTO billing.usage SELECT (r).* FROM (SELECT jsonb_populate_record(u, '{"number": 1, "request_id": "req_1"}') AS r FROM billing.usage u) AS made`,
    [
      'usage_posted_twice',
      'totals.requests',
      'usage_month_differs_from_usage',
      'usage_hour_differs_from_usage',
      'served_hour_differs_from_usage',
    ],
  ],
])('once a month is dropped, a change of %s is still found', async (_what, statement, checks) => {
  await books.dropTwo();
  await tamper(statement);
  expect([...new Set(await books.findWrong())].sort()).toEqual([...checks].sort());
});

test('rows that were dumped may be put back beside, to look at them: nothing counts them', async () => {
  await books.post({ cost: 7, occurred_at: at(OLD) });
  await books.takeOut();
  const table = `billing_archive.${partitionName(OLD)}`;
  await books.query(`CREATE TABLE public.dump AS SELECT * FROM ${table}`);
  await books.begin();
  await runDrop(books.environment.database, OLD);
  await books.query(`CREATE TABLE ${table} AS SELECT * FROM public.dump`);
  expect(await books.findWrong()).toEqual([]);
});

test('two that drop a month beside each other drop each row once', async () => {
  await books.post(...Array.from({ length: 40 }, (_, cost) => ({ cost, occurred_at: at(OLD) })));
  await books.takeOut();
  await books.begin();
  const both = () => Promise.all([1, 2].map(() => runDrop(books.environment.database, OLD, { slice: 3 })));
  while (!(await isDropped())) await both();
  expect(
    await books.query(
      `SELECT sum(requests)::int AS requests, sum(cost_pico)::int AS cost FROM billing.usage_rollup`,
    ),
  ).toEqual([{ requests: 40, cost: 780 }]);
  expect(await books.findWrong()).toEqual([]);
});

test('while a month is dropped nothing of it is posted, because nobody knows what was', async () => {
  await books.post({ cost: 7, occurred_at: at(OLD) }, { cost: 8, occurred_at: at(OLD, '16') });
  await books.takeOut();
  const late = postingThatCosts(9, {
    account_id: books.environment.first.accountId,
    occurred_at: at(OLD, '17'),
  });
  await books.begin();
  await books.environment.database.transaction((manager) => dropSlice(manager, OLD, 1));
  expect(await listPartitions(books.environment.database)).toContainEqual(
    expect.objectContaining({ month: OLD, state: 'dropping', rows: 1 }),
  );
  expect(await postBatch(books.environment.database, [late], [])).toEqual([]);
  expect(await books.query('SELECT request_id, reason FROM billing.usage_rejected')).toEqual([
    {
      request_id: late.event.request_id,
      reason: `the usage of ${OLD} is gone, and with it whether this was posted`,
    },
  ]);
});

test('a request that is looked up while its month begins to be dropped is one that nobody knows', async () => {
  const { event } = postingThatCosts(7, {
    account_id: books.environment.first.accountId,
    occurred_at: at(OLD),
  });
  await books.post({ cost: 7, occurred_at: at(OLD), request_id: event.request_id });
  await books.takeOut();
  const reader = {
    async query(sql: string, values: unknown[]) {
      if (sql.includes(`billing_archive.${partitionName(OLD)} `)) {
        await books.begin();
        await books.environment.database.transaction((manager) => dropSlice(manager, OLD, 1));
      }
      return books.environment.database.query(sql, values);
    },
  } as EntityManager;
  expect(await lookUpPosted(reader, [event.request_id])).toEqual({
    posted: new Set(),
    unknown: new Set([event.request_id]),
  });
});
