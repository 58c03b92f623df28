// A month is dropped slice by slice, in books that the planner believes to have a hundred million requests.
import {
  BELIEVED_ROWS,
  LAST,
  type LargeBooks,
  ROWS_A_MONTH,
  startLargeBooks,
} from '../../testing/large-books.ts';
import { toAccountId } from '../../testing/many-usage-rows.ts';
import { believeInMoreRows, readWhole, rowsRead, sumWork } from '../../testing/plans.ts';
import { closePeriod } from '../periods/close-period.ts';
import { detachPartition } from './detach-partition.ts';
import { findDetachedMonth } from './detached-months.ts';
import { dropSlice, listOpenDrops } from './drop-partition.ts';
import { addMonths, type Month, toStart } from './partitions.ts';

const SLICE = 1_000;
const by = { actor: 'a@b.example', reason: 'r' };

let books: LargeBooks;
let month: Month;
beforeAll(async () => {
  books = await startLargeBooks();
  month = books.months[0] ?? '';
  const { database } = books.environment;
  const accounts: { id: string }[] = await database.query('SELECT id FROM billing.account');
  for (const { id } of accounts) await closePeriod(database, id, month, by).catch(() => undefined);
  // What is over for two months is kept yet: it is taken out later.
  await detachPartition(database, month, { ...by, now: new Date(toStart(addMonths(month, 6))) });
  await database.query(
    'INSERT INTO billing.usage_drop (month, actor, reason, attempts_to) VALUES ($1, $2, $3, $4)',
    [toStart(month), by.actor, by.reason, 2 * LAST],
  );
  for (const each of books.months) await fillAttempts(toStart(each));
  await database.query('ANALYZE billing.lost_attempt');
  await believeInMoreRows(database, BELIEVED_ROWS / LAST, '^lost_attempt');
}, 240_000);
afterAll(() => books.stop());

const ATTEMPTS_A_MONTH = 2_500;

/** One every ten minutes, with ids of their time. */
const fillAttempts = (start: string) =>
  books.environment.database.query(
    `INSERT INTO billing.lost_attempt (request_id, number, occurred_at, booked_at, account_id, key_id, group_name, model, vendor,
       pool, upstream, upstream_model, protocol, stream, snapshot_version, cause, upstream_cost_pico, latency_ms)
     SELECT 'req_' || lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || lpad(n::text, 20, '0') || '.1', $1 + n, at, at,
       $2, $2, 'default', 'acme-large', 'acme', 'main', 'east', 'acme-large', 'openai-chat', false, 1, 'hedge', 38, 12
     FROM generate_series(1, $3::int) AS n, LATERAL (SELECT $4::timestamptz + n * interval '10 minutes' AS at) AS made`,
    [LAST, books.accountId, ATTEMPTS_A_MONTH, start],
  );

/** What `ask` has the database do. */
async function explainWork<T>(ask: (of: LargeBooks['explainer']['database']) => Promise<T>) {
  books.explainer.ran();
  const answer = await ask(books.explainer.database);
  const ran = books.explainer.ran();
  const ofSums = ran.flatMap(({ scans }) => scans).filter(({ table }) => table === 'usage_rollup');
  // A month has as many rows of these as keys were used in its quarters of an hour.
  expect(readWhole(ofSums)).toEqual([]);
  const ofAttempts = ran.flatMap(({ scans }) => scans).filter(({ table }) => table === 'lost_attempt');
  return {
    answer,
    ...sumWork(ran),
    sums: rowsRead(ofSums),
    attempts: rowsRead(ofAttempts),
    wholeAttempts: readWhole(ofAttempts),
  };
}
const dropOne = () => explainWork((of) => of.transaction((manager) => dropSlice(manager, month, SLICE)));
/** The last month of which a year's span lacks usage of an account. */
const findLacking = (accountId: string) =>
  explainWork((of) =>
    of.transaction((manager) =>
      findDetachedMonth(manager, { from: toStart(month), to: toStart(addMonths(month, 12)), accountId }),
    ),
  );

test('whether a span lacks usage is known by a row of the archive', async () => {
  const { answer, rows, whole } = await findLacking(books.accountId);
  expect([answer, whole]).toEqual([month, []]);
  expect(rows.log).toBe(1);
});

test('a slice reads its own rows twice, and is done as fast wherever it is', async () => {
  for (let done = 0; done < ROWS_A_MONTH; done += SLICE) {
    const { answer, rows, whole, sorted } = await dropOne();
    expect([answer, whole]).toEqual([true, []]);
    expect(rows).toEqual({ log: 2 * SLICE, transactions: 0, entries: 0, hours: 0, months: 0 });
    expect(sorted).toBeLessThanOrEqual(SLICE);
  }
});

test('a slice of its lost attempts reads these twice, and none of other months', async () => {
  for (let left = ATTEMPTS_A_MONTH; left > 0; left -= SLICE) {
    const { answer, rows, attempts, wholeAttempts } = await dropOne();
    expect([answer, rows.log, wholeAttempts]).toEqual([true, 0, []]);
    expect(attempts).toBeCloseTo(2 * Math.min(SLICE, left), -1);
  }
  const { answer, rows, attempts } = await dropOne();
  expect([answer, rows.log]).toEqual([false, 0]);
  expect(attempts).toBeLessThan(5);
});

test('and when it is dropped, by an index of what it came to', async () => {
  await books.environment.database.query('ANALYZE billing.usage_rollup');
  await believeInMoreRows(books.environment.database, BELIEVED_ROWS / LAST, '^usage_rollup');
  expect(await findLacking(books.accountId)).toMatchObject({ answer: month, sums: 1 });
  expect(await findLacking(toAccountId(99_999))).toMatchObject({ answer: undefined, sums: 0 });
});

test.each([
  ['has lost attempts left', null, 1],
  ['has none', 'infinity', 0],
])('whether a month whose drop has ended %s is known by an index', async (_what, lookedAt, read) => {
  await books.environment.database.query('UPDATE billing.usage_drop SET ended_at = now()');
  // Those that it had are gone: the next month takes its place.
  const next = addMonths(month, 1);
  await books.environment.database.query(
    `INSERT INTO billing.usage_detached SELECT (r).* FROM (
       SELECT jsonb_populate_record(d, jsonb_build_object('month', $1::text)) AS r FROM billing.usage_detached d) AS made
     ON CONFLICT DO NOTHING`,
    [`${next}-01`],
  );
  await books.environment.database.query('DELETE FROM billing.usage_drop WHERE month = $1', [`${next}-01`]);
  await books.environment.database.query(
    `INSERT INTO billing.usage_drop (month, actor, reason, attempts_to, attempts_at, ended_at)
     VALUES ($1, 'a', 'r', 1, $2, now())`,
    [`${next}-01`, lookedAt],
  );
  const { answer, attempts, wholeAttempts } = await explainWork((of) => of.transaction(listOpenDrops));
  expect([answer, attempts, wholeAttempts]).toEqual([read ? [next] : [], read, []]);
});
