// Lost attempts leave with the month that both their time and their id place them in.
import type { DataSource, EntityManager } from 'typeorm';
import type { IsolationLevel } from 'typeorm/driver/types/IsolationLevel.js';
import { startBillingOn } from '../../testing/billing-service.ts';
import { postingThatCosts } from '../../testing/bookkeeping.ts';
import { at, NEXT, OLD, OldBooks } from '../../testing/old-books.ts';
import { call, signIn } from '../../testing/people.ts';
import { requestIdAt } from '../../testing/usage-events.ts';
import { MarginsController } from '../ledger/margins.controller.ts';
import { dropSlice, listOpenDrops, runDrop } from './drop-partition.ts';
import { addMonths } from './partitions.ts';
import { postBatch } from './post-batch.ts';
import { lookUpPosted } from './posted-requests.ts';

let books: OldBooks;
beforeEach(async () => {
  books = await OldBooks.start();
});
afterEach(() => books.environment.stop());

const lost = { cost: 0, lost: 'timeout' } as const;
const idAt = (time: string, nth: number) => `${requestIdAt(time, nth)}.1`;
const FIRST = idAt(at(OLD), 1);
const listLeft = async () =>
  (
    await books.query<{ request_id: string }>('SELECT request_id FROM billing.lost_attempt ORDER BY number')
  ).map(({ request_id }) => request_id);
const drop = async () => {
  await books.begin();
  await runDrop(books.environment.database, OLD, { slice: 2 });
};
/** Three in the same quarter of an hour, one of which costs nobody knows how much, one of the next, and a request. */
const postAll = () =>
  books.post(
    { ...lost, upstreamPico: 3, occurred_at: at(OLD), request_id: FIRST },
    { ...lost, upstreamPico: 4, occurred_at: at(OLD, '15', '12:14'), latency_ms: 5 },
    { ...lost, occurred_at: at(OLD, '15', '12:01') },
    { ...lost, upstreamPico: 9, occurred_at: at(NEXT) },
    { cost: 7, upstreamPico: 2, occurred_at: at(OLD) },
  );

test('their rows go by slices, and what they came to stays by upstream and model', async () => {
  await postAll();
  await books.takeOut();
  expect(await listLeft()).toHaveLength(4);
  await drop();
  expect(await listLeft()).toHaveLength(1);
  const kept = await books.query(
    `SELECT occurred_at, upstream, model, sum(attempts)::int AS attempts, sum(upstream_cost_pico)::int AS cost,
       count(*) FILTER (WHERE upstream_cost_pico IS NULL)::int AS unknown
     FROM billing.lost_rollup GROUP BY 1, 2, 3`,
  );
  expect(kept).toEqual([
    { occurred_at: new Date(at(OLD)), upstream: 'east', model: 'm', attempts: 3, cost: 7, unknown: 1 },
  ]);
  expect(await books.query('SELECT attempts::int FROM billing.usage_drop')).toEqual([{ attempts: 3 }]);
  expect(await books.findWrong()).toEqual([]);
});

test.each([
  [
    'what they came to',
    'UPDATE billing.lost_rollup SET upstream_cost_pico = 1 + upstream_cost_pico',
    ['served_hour_differs_from_usage'],
  ],
  [
    'how many they were',
    'UPDATE billing.lost_rollup SET attempts = 1 + attempts',
    ['served_hour_differs_from_usage'],
  ],
  ['their numbers', 'DELETE FROM billing.usage_rollup_numbers WHERE first < 4', ['lost_attempt_without_row']],
  [
    'a row that has a number of theirs',
    `INSERT INTO billing.lost_attempt SELECT (r).* FROM (
       SELECT jsonb_populate_record(l, '{"number": 1, "request_id": "req_1.1"}') AS r FROM billing.lost_attempt l) AS made`,
    ['lost_attempt_without_transaction', 'served_hour_differs_from_usage'],
  ],
])('once they are dropped, a change of %s is found', async (_what, statement, checks) => {
  await postAll();
  await books.takeOut();
  await drop();
  await books.environment.database.transaction(async (manager) => {
    await manager.query(`SET LOCAL session_replication_role = 'replica'`);
    await manager.query(statement);
  });
  expect([...new Set(await books.findWrong())].sort()).toEqual([...checks].sort());
});

test('one that comes again after that is not posted twice: nobody knows whether it was', async () => {
  await postAll();
  await books.takeOut();
  await drop();
  const again = postingThatCosts(0, { ...lost, occurred_at: at(OLD), request_id: FIRST }, 3);
  expect(await postBatch(books.environment.database, [again], [])).toEqual([]);
  expect(await books.query('SELECT request_id, reason FROM billing.usage_rejected')).toEqual([
    { request_id: FIRST, reason: `the usage of ${OLD} is gone, and with it whether this was posted` },
  ]);
  expect(await books.findWrong()).toEqual([]);
});

test('one that is looked up while it is dropped is one that nobody knows', async () => {
  await postAll();
  await books.takeOut();
  let isDropped = false;
  const reader = {
    async query(sql: string, values: unknown[]) {
      if (sql.includes('billing.lost_attempt') && !isDropped) {
        isDropped = true;
        await drop();
      }
      return books.environment.database.query(sql, values);
    },
  } as EntityManager;
  expect(await lookUpPosted(reader, [FIRST])).toEqual({ posted: new Set(), unknown: new Set([FIRST]) });
});

test('those stay that came after the audit, or that their id places in another month, and come once', async () => {
  const ofOther = [idAt(at(NEXT), 7), idAt(at(addMonths(OLD, -1)), 9), 'req_of_a_stranger.1'];
  await postAll();
  await books.post(...ofOther.map((request_id) => ({ ...lost, occurred_at: at(OLD), request_id })));
  await books.takeOut();
  const late = idAt(at(OLD, '17'), 8);
  await books.post({ ...lost, upstreamPico: 1, occurred_at: at(OLD, '17'), request_id: late });
  await drop();
  const left = await listLeft();
  expect(left.slice(1)).toEqual([...ofOther, late]);
  for (const request_id of [...ofOther, late])
    expect(await books.post({ ...lost, upstreamPico: 1, occurred_at: at(OLD), request_id })).toEqual([]);
  expect(await listLeft()).toEqual(left);
  expect(await books.findWrong()).toEqual([]);
});

test('of a month whose drop began before attempts left with it, they stay and are known', async () => {
  await postAll();
  await books.takeOut();
  await books.begin();
  await books.query('UPDATE billing.usage_drop SET attempts_to = NULL');
  await runDrop(books.environment.database, OLD);
  expect(await listLeft()).toHaveLength(4);
  await books.post({ ...lost, upstreamPico: 3, occurred_at: at(OLD), request_id: FIRST });
  expect(await books.query('SELECT FROM billing.usage_rejected')).toEqual([]);
  expect(await books.findWrong()).toEqual([]);
});

test('what is left of a month whose drop was ended by a billing from before attempts left goes with the next look', async () => {
  await postAll();
  await books.takeOut();
  await books.begin();
  await books.environment.database.transaction((manager) => dropSlice(manager, OLD, 10));
  await books.query(`SELECT billing.drop_usage_partition('${OLD}-01')`);
  await books.query('UPDATE billing.usage_drop SET ended_at = now()');
  const dropOpen = async () => {
    const months = await listOpenDrops(books.environment.database);
    for (const month of months) await runDrop(books.environment.database, month, { slice: 2 });
    return months;
  };
  expect([await dropOpen(), await dropOpen()]).toEqual([[OLD], []]);
  expect(await listLeft()).toHaveLength(1);
  expect(await books.query('SELECT attempts::int FROM billing.usage_drop')).toEqual([{ attempts: 3 }]);
  expect(await books.findWrong()).toEqual([]);
});

test('margins of days that had nothing but attempts say that they were dropped', async () => {
  await books.post(
    { ...lost, upstreamPico: 3, occurred_at: at(OLD) },
    { cost: 7, occurred_at: at(OLD, '20') },
  );
  await books.takeOut();
  await drop();
  const billing = await startBillingOn(books.environment);
  const caller = { url: billing.url, cookie: await signIn(billing.url, books.environment.first.email) };
  const ask = async (from: string, to: string) =>
    (await call<{ error?: { code: string } }>(caller, 'GET', `/api/finance/margins?from=${from}&to=${to}`))
      .body.error?.code;
  expect(await ask(at(OLD, '14'), at(OLD, '16'))).toBe('month_detached');
  expect(await ask(at(OLD, '16'), at(OLD, '19'))).toBeUndefined();
  await billing.stop();
});

test('margins that are read while attempts are dropped have all of them', async () => {
  await postAll();
  await books.takeOut();
  const { database } = books.environment;
  let isDropped = false;
  // Between the look for what was taken out and the sums.
  const racing = (manager: EntityManager) =>
    ({
      async query(sql: string, values: unknown[]) {
        if (sql.includes('lost_cost')) {
          isDropped = true;
          await books.begin();
          // The table itself goes when nobody has it open.
          while ((await listLeft()).length > 1)
            await database.transaction((other) => dropSlice(other, OLD, 2));
        }
        return manager.query(sql, values);
      },
    }) as EntityManager;
  const transaction = (level: IsolationLevel, run: (manager: EntityManager) => Promise<unknown>) =>
    database.transaction(level, (manager) => run(racing(manager)));
  const source: DataSource = Object.assign(Object.create(database), { transaction });
  const controller = new MarginsController(source);
  // The request of that day was booked at 12:00, as two of the attempts were.
  const query = { group_by: 'upstream', from: at(OLD, '15', '12:10'), to: at(OLD, '15', '12:30') } as const;
  expect(
    (await controller.show({ query, headers: undefined, params: undefined, body: undefined })).total,
  ).toMatchObject({
    lost_attempts: 1,
  });
  expect(isDropped).toBe(true);
});
