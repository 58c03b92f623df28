// A month is closed, sealed, verified and shown by the functions that do so, in books that the planner believes to have a hundred
// million requests. The month of one account is what is read, and nothing of the twenty others or of other months.
import { LAST, type LargeBooks, OWN_A_MONTH, startLargeBooks } from '../../testing/large-books.ts';
import { sumWork } from '../../testing/plans.ts';
import { keyLines } from '../statements/statement-keys.ts';
import { listStatements } from '../statements/statement-list.ts';
import { readStatement } from '../statements/statement.ts';
import { readAccountMonths } from './account-months.ts';
import { closePeriod } from './close-period.ts';
import { runVerification } from './run-verification.ts';
import { computeTotals } from './totals.ts';
import { beginVerification } from './verifications.ts';

let books: LargeBooks;
beforeAll(async () => {
  books = await startLargeBooks();
}, 240_000);
afterAll(() => books.stop());

/** What `ask` has the database do. */
async function explainWork(ask: (of: LargeBooks['explainer']['database']) => Promise<unknown>) {
  books.explainer.ran();
  await ask(books.explainer.database);
  return sumWork(books.explainer.ran());
}
const month = (index: number) => books.months.at(index) ?? '';
const by = { actor: 'a@b.example', reason: 'r' };

/** The digest, the kinds and the names of ledger accounts are read each by itself; of an entry the kinds see the customer's. */
const READ = { transactions: 3 * OWN_A_MONTH, entries: (4 + 1 + 4) * OWN_A_MONTH, log: OWN_A_MONTH };

test('a month is closed and sealed from its own rows', async () => {
  const { rows, whole, sorted } = await explainWork((database) =>
    closePeriod(database, books.accountId, month(0), by),
  );
  expect(whole).toEqual([]);
  // When the account's books begin.
  expect(rows.transactions).toBeLessThanOrEqual(READ.transactions + 1);
  expect(rows.transactions).toBeGreaterThanOrEqual(READ.transactions);
  expect(rows.entries).toBe(READ.entries);
  expect(rows.log).toBeCloseTo(READ.log, 0);
  // Its transactions, by number; not the four times as many entries.
  expect(sorted).toBe(OWN_A_MONTH);
});

test('a part of a month is added up from the rows of that part', async () => {
  const span = {
    accountId: books.accountId,
    from: `${month(1)}-10T00:00:00Z`,
    to: `${month(1)}-11T00:00:00Z`,
  };
  const { rows, whole } = await explainWork((database) => computeTotals(database.manager, span, 0n));
  const { requests } = await computeTotals(books.environment.database.manager, span, 0n);
  expect(requests).toBeGreaterThan(10);
  expect(whole).toEqual([]);
  expect(rows.log).toBeLessThanOrEqual(requests + books.months.length);
  expect(rows.transactions).toBe(2 * requests);
  expect(rows.entries).toBe(5 * requests);
});

test('a verification reads closed months, and of accounts that have none nothing', async () => {
  const { database } = books.environment;
  // So that there is a month before which nothing may be booked.
  await closePeriod(database, books.accountId, month(0), by);
  const id = await beginVerification(database, {
    accountId: undefined,
    isFromStart: true,
    startedBy: by.actor,
  });
  const { rows, whole, sorted } = await explainWork((of) =>
    runVerification(of, id, { every: OWN_A_MONTH / 4 }),
  );
  const [item] = await database.query(
    'SELECT periods, first_difference FROM billing.verification_item WHERE verification_id = $1 AND account_id = $2',
    [id, books.accountId],
  );
  expect(item).toEqual({ periods: 1, first_difference: null });
  expect(whole).toEqual([]);
  expect(rows.transactions).toBe(READ.transactions);
  expect(rows.entries).toBe(READ.entries);
  // By parts of its time, each of which looks into a month beside its own.
  expect(rows.log).toBeLessThanOrEqual(READ.log + 5);
  expect(sorted).toBe(OWN_A_MONTH);
});

/** Keys, models and months of an account. */
const KEPT = 5 * 5 * 3;
const shown: Record<string, () => (of: LargeBooks['explainer']['database']) => Promise<unknown>> = {
  'the statement of an open month': () => (of) => readStatement(of, books.accountId, month(1)),
  'the statement of a closed month': () => (of) => readStatement(of, books.accountId, month(0)),
  'its keys': () => (of) => keyLines(of, books.accountId, month(1)),
  'the list of statements': () => (of) => listStatements(of, books.accountId, 12),
};

test.each(Object.keys(shown))('%s: kept sums of the account alone are read', async (what) => {
  const ask = shown[what]?.();
  const { rows, whole } = await explainWork((of) => ask?.(of) ?? Promise.reject(new Error(what)));
  expect(whole).toEqual([]);
  expect([rows.log, rows.entries, rows.hours]).toEqual([0, 0, 0]);
  // When its books begin.
  expect(rows.transactions).toBeLessThanOrEqual(2);
  expect(rows.months).toBeLessThanOrEqual(2 * KEPT);
});

test('the months of all accounts are shown from kept sums', async () => {
  const { rows, whole } = await explainWork((of) => readAccountMonths(of, { months: 3, limit: 20 }));
  expect(whole).toEqual([]);
  expect([rows.log, rows.entries, rows.hours]).toEqual([0, 0, 0]);
  expect(rows.transactions).toBeLessThan(LAST / 100);
});
