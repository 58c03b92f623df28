// Pages of the ledger, operations and audits, in books that the planner believes to have a hundred million requests.
import { randomUUID } from 'node:crypto';
import type { LedgerOperation } from '@tollgate/api';
import { beginTestAudit } from '../../testing/complete-audit.ts';
import {
  BELIEVED_ROWS,
  LAST,
  type LargeBooks,
  OWN_A_MONTH,
  ROWS_A_MONTH,
  startLargeBooks,
} from '../../testing/large-books.ts';
import { postUsage } from '../../testing/bookkeeping.ts';
import { ACCOUNTS, toAccountId, toKeyId } from '../../testing/many-usage-rows.ts';
import { believeInMoreRows, type Explainer, startExplaining, sumWork } from '../../testing/plans.ts';
import { auditNew } from './audit.ts';
import { auditRange } from './audit-range.ts';
import { auditAccountSums, auditSums } from './audit-sums.ts';
import { runCompleteAudit } from './complete-audit.ts';
import { withJournal } from './journal.ts';
import { planOperation } from './plan-operation.ts';
import { listTransactions, sumTransactions } from './transaction-list.ts';
import { appendOne, listCorrections } from './transactions.ts';

const PAGE = 50;

let books: LargeBooks;
beforeAll(async () => {
  books = await startLargeBooks();
}, 240_000);
afterAll(() => books.stop());

/** What `ask` has the database do. */
async function explainWork(
  ask: (of: Explainer['database']) => Promise<unknown>,
  explainer: Explainer = books.explainer,
) {
  explainer.ran();
  await ask(explainer.database);
  return sumWork(explainer.ran());
}

// The server counts each table when enough of it has changed, so that it knows them as of different moments.
describe.each([1, 1 / 4, 1 / 25])(
  'in a hundred million transactions, known as %d times what their entries are',
  (times) => {
    const named = '^ledger_transaction';
    beforeAll(() => believeInMoreRows(books.environment.database, times, named));
    afterAll(() => believeInMoreRows(books.environment.database, 1 / times, named));

    const read = async (span = {}): Promise<number> => {
      const { rows } = await explainWork(async (of) => {
        const { items } = await listTransactions(of, { accountId: books.accountId, limit: PAGE, ...span });
        expect(items).toHaveLength(PAGE);
      });
      return rows.transactions + rows.entries + rows.log;
    };

    test("a page of an account's ledger reads the rows of the page", async () =>
      expect(await read()).toBeLessThan(20 * PAGE));

    test('a page of some days of long ago reads the rows of these days', async () => {
      const [month] = books.months;
      const span = { from: `${month}-10T00:00:00Z`, to: `${month}-14T00:00:00Z` };
      expect(await read(span)).toBeLessThan(20 * PAGE);
    });
  },
);

test('transactions of some days of an account are added up from these days', async () => {
  const [month] = books.months;
  const { rows, whole } = await explainWork((of) =>
    sumTransactions(of, {
      accountId: books.accountId,
      from: `${month}-10T00:00:00Z`,
      to: `${month}-14T00:00:00Z`,
    }),
  );
  expect(whole).toEqual([]);
  expect(rows.transactions).toBeLessThan(2 * PAGE);
  expect(rows.entries).toBeLessThan(8 * PAGE);
});

test('a refund looks for its request, its transaction and what it was refunded before', async () => {
  const { rows, whole } = await explainWork((of) =>
    of.transaction((manager) =>
      planOperation(manager, { kind: 'refund', request_id: 'req_000000000700', reason: 'r' }),
    ),
  );
  expect(whole).toEqual([]);
  expect(rows.log + rows.transactions + rows.entries).toBeLessThan(20);
});

describe('an audit', () => {
  test('of what is new reads what is new, and sums that are kept', async () => {
    const database = books.environment.database;
    await postUsage(database, books.accountId, 5, {
      occurred_at: new Date().toISOString(),
      key_id: toKeyId(7, 0),
    });
    const { rows, whole } = await explainWork(async (of) =>
      expect(await auditNew(of)).toMatchObject({ after: LAST, to: LAST + 1, transactions: 1 }),
    );
    expect(whole).toEqual([]);
    expect([rows.log, rows.hours]).toEqual([1, 0]);
    expect(rows.transactions + rows.entries).toBeLessThan(30);
  });

  test('of the sums of an account reads no rows that they are sums of, and only keys bring it to those of others', async () => {
    books.explainer.ran();
    await auditAccountSums(books.explainer.database, [books.accountId]);
    const ran = books.explainer.ran();
    const { rows, whole } = sumWork(ran);
    expect(whole).toEqual([]);
    expect([rows.log, rows.transactions, rows.entries, rows.hours]).toEqual([0, 0, 0, 0]);
    const [ofKeys, others] = [true, false].map((isOfKeys) =>
      sumWork(ran.filter(({ statement }) => statement.includes('key_id') === isOfKeys)),
    );
    expect(ofKeys?.rows.months).toBeGreaterThan(0);
    // Three months of five keys and five models, twice.
    expect(others?.rows.months).toBeLessThan(2 * 3 * 5 * 5);
  });

  test('of a slice of the journal reads the rows of its numbers', async () => {
    const SLICE = 1_000;
    const { rows, whole, sorted } = await explainWork((of) => auditRange(of, LAST - SLICE, LAST));
    expect(whole).toEqual([]);
    expect(rows.log).toBe(SLICE);
    expect(rows.transactions).toBeLessThan(5 * SLICE);
    expect(rows.entries).toBeLessThan(20 * SLICE);
    expect(sorted).toBeLessThanOrEqual(4 * SLICE);
  });

  test('of a slice of the sums reads the rows of its accounts and its month, for hours and for months', async () => {
    const slice = {
      from: `${books.months[0]}-01`,
      until: `${books.months[1]}-01`,
      after: toAccountId(6),
      upTo: books.accountId,
    };
    const { rows, whole } = await explainWork((of) => auditSums(of, slice));
    expect(whole).toEqual([]);
    // Two days more, for other time zones.
    expect(rows.log).toBeLessThan(2.3 * OWN_A_MONTH);
    expect(rows.transactions).toBeLessThan(1.3 * OWN_A_MONTH);
    expect(rows.entries).toBeLessThan(1.3 * OWN_A_MONTH);
    expect(rows.hours).toBeLessThan(4 * OWN_A_MONTH);
  });

  test('of all there is reads the journal by slices, and the sums by accounts of a month', async () => {
    const SLICE = ROWS_A_MONTH / 4;
    const explainer = await startExplaining(books.environment.databaseUrl, { nested: false });
    const database = explainer.database;
    const id = await beginTestAudit(database);
    const { rows, whole, sorted } = await explainWork(
      (of) => runCompleteAudit(of, id, { onReplica: (work) => work(database), slice: SLICE }),
      explainer,
    );
    await explainer.stop();
    // A month of upstreams' sums is of no account: each month of the log is read as a whole, once.
    expect(new Set(whole).size).toBe(whole.length);
    expect(whole.every((table) => /^usage_\d/.test(table))).toBe(true);
    // Numbers, hours, months and upstreams.
    expect(rows.log).toBeLessThan(4.3 * LAST);
    expect(rows.transactions).toBeLessThan(5.3 * LAST);
    expect(rows.entries).toBeLessThan(20 * LAST);
    // Once for which months there are, twice by slices, and seven times at the end: not once for each of the sixteen slices.
    const [{ kept = 0 } = {}] = await books.environment.database.query<{ kept: number }[]>(
      'SELECT ((SELECT count(*) FROM billing.usage_month) + (SELECT count(*) FROM billing.ledger_month))::int AS kept',
    );
    expect(rows.months).toBeLessThan(11 * kept);
    expect(sorted).toBeLessThan(2 * ROWS_A_MONTH);
    expect(OWN_A_MONTH * ACCOUNTS).toBe(ROWS_A_MONTH);
  }, 120_000);
});

// They append to the journal, whose end is known to those above.
describe('of a refund that was undone and done again, many times over', () => {
  const REQUEST = 'req_000000000701';
  /** The refund is the first of them; each of the others corrects the one before. The last one undoes it. */
  const LINKS = 40;
  let last: number;
  beforeAll(async () => {
    const { database } = books.environment;
    last = await append(database, { kind: 'refund', request_id: REQUEST, reason: 'r' });
    for (let link = 1; link < LINKS; link += 1)
      last = await append(database, { kind: 'correction', transaction: last, reason: 'r' });
    // As the server would count them in a minute or so: it knows of none yet.
    await database.query('ANALYZE billing.ledger_transaction');
    await believeInMoreRows(database, BELIEVED_ROWS / LAST, '^ledger_(transaction|correct|made)');
  });

  const append = (database: Explainer['database'], operation: LedgerOperation): Promise<number> =>
    withJournal(database, async (journal) => {
      const { refundedRequest, ...planned } = await planOperation(journal.manager, operation);
      const { number } = await appendOne(journal, {
        ...planned,
        ...(refundedRequest === undefined ? {} : { refundedRequest }),
        kind: operation.kind,
        occurredAt: new Date().toISOString(),
        idempotencyKey: randomUUID(),
        actor: 'a@b.example',
        reason: 'r',
      });
      return number;
    });
  const explainPlan = (operation: LedgerOperation) =>
    explainWork((of) => of.transaction((manager) => planOperation(manager, operation)));

  test('what is left of the request is read from the chain alone', async () => {
    const { rows, whole } = await explainPlan({ kind: 'refund', request_id: REQUEST, reason: 'r' });
    expect(whole).toEqual([]);
    expect(rows.transactions).toBeGreaterThanOrEqual(LINKS);
    expect(rows.transactions).toBeLessThan(LINKS + 5);
    // Of each transaction there is one entry of the customer.
    expect(rows.entries).toBeLessThan(LINKS + 10);
    expect(rows.log).toBeLessThan(5);
  });

  test('whoever corrects its end goes up to the request once, and down once', async () => {
    const { rows, whole } = await explainPlan({ kind: 'correction', transaction: last, reason: 'r' });
    expect(whole).toEqual([]);
    expect(rows.transactions).toBeGreaterThanOrEqual(2 * LINKS);
    expect(rows.transactions).toBeLessThan(2 * LINKS + 10);
    expect(rows.entries).toBeLessThan(LINKS + 20);
    expect(rows.log).toBeLessThan(5);
  });

  test('who corrects a transaction is known by an index', async () => {
    const { rows, whole } = await explainWork((of) => listCorrections(of, last - 1));
    expect([whole, rows.transactions]).toEqual([[], 1]);
  });
});
