// Batches are posted as ever into books that the planner believes to have a hundred million requests. Every statement counts: also
// those of book_batch, of the sums that it adds to, and of triggers.
import { postingThatCosts } from '../../testing/bookkeeping.ts';
import { type LargeBooks, startLargeBooks } from '../../testing/large-books.ts';
import { toKeyId } from '../../testing/many-usage-rows.ts';
import { type Ran, sumWork } from '../../testing/plans.ts';
import { closePeriod } from '../periods/close-period.ts';
import { postBatch } from './post-batch.ts';
import type { Posting } from './posting.ts';

const EVENTS = 200;
/** A function asks with plans for any value once it was called so often. */
const BATCHES = 8;
const APART_MS = 5_000;
/** Of one account, in two quarters of an hour or three: entries of several transactions are checked otherwise than those of one. */
const TRANSACTIONS = 3;

let books: LargeBooks;
beforeAll(async () => {
  books = await startLargeBooks();
  const { environment, accountId, months } = books;
  // Whether a batch is booked before that end is asked of its transactions, and not of all that there are before it.
  await closePeriod(environment.database, accountId, months[0] ?? '', { actor: 'a@b.example', reason: 'r' });
}, 240_000);
afterAll(() => books.stop());

const makeBatch = (): Posting[] => {
  const now = Date.now();
  return Array.from({ length: EVENTS }, (_, index) =>
    postingThatCosts(
      5,
      {
        account_id: books.accountId,
        key_id: toKeyId(7, index % 3),
        occurred_at: new Date(now - index * APART_MS).toISOString(),
      },
      3,
    ),
  );
};

async function post(batch: readonly Posting[]): Promise<{ posted: number; ran: Ran[] }> {
  books.explainer.ran();
  const posted = await postBatch(books.explainer.database, batch, []);
  return { posted: posted.length, ran: books.explainer.ran() };
}

const SUMS = ['usage_hour', 'account_hour', 'served_hour', 'usage_month', 'ledger_month', 'account_balance'];

test(`batches read their own rows, the first as well as number ${BATCHES}`, async () => {
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const { posted, ran } = await post(makeBatch());
    expect(posted).toBe(EVENTS);
    // Otherwise statements would be there that nobody sees.
    const statements = ran.map(({ statement }) => statement).join('\n');
    expect(SUMS.filter((table) => !statements.includes(`INSERT INTO billing.${table} `))).toEqual([]);
    const { rows, whole, sorted } = sumWork(ran);
    expect(whole).toEqual([]);
    expect(rows.log).toBe(EVENTS);
    // Each of the checks of a batch, of its entries and of its numbers.
    expect(rows.transactions).toBeLessThanOrEqual(6 * TRANSACTIONS);
    expect(rows.entries).toBeLessThanOrEqual(4 * TRANSACTIONS);
    expect([rows.hours, rows.months]).toEqual([0, 0]);
    expect(sorted).toBeLessThanOrEqual(EVENTS);
  }
});

test('a batch that comes again is found by an index probe for each request', async () => {
  const batch = makeBatch();
  await post(batch);
  const { posted, ran } = await post(batch);
  expect(posted).toBe(0);
  const { rows, whole, sorted } = sumWork(ran);
  expect([whole, sorted]).toEqual([[], 0]);
  // And, of the last number that was taken, its transaction.
  expect(rows).toEqual({ log: EVENTS, transactions: expect.any(Number), entries: 0, hours: 0, months: 0 });
  expect(rows.transactions).toBeLessThanOrEqual(2 * TRANSACTIONS);
});
