import { fillLedger, fillUsage, toAccountId } from '../../testing/many-usage-rows.ts';
import { believeInMoreRows, explaining, type Explainer, rowsRead, type Scan } from '../../testing/plans.ts';
import { startTestEnvironment, type TestEnvironment } from '../../testing/test-environment.ts';
import { auditRange } from './audit-range.ts';
import { auditSums } from './audit-sums.ts';
import { listTransactions } from './transaction-list.ts';

const PAGE = 50;
const ROWS = 40_000;
/** One of twenty accounts that have as many requests each. */
const accountId = toAccountId(7);
const OWN = ROWS / 20;

let environment: TestEnvironment;
let explainer: Explainer;
let month: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  const { database } = environment;
  [month = ''] = await fillUsage(database, { now: new Date(), months: 1, rowsPerMonth: ROWS });
  await fillLedger(database, month, accountId);
  await believeInMoreRows(database, 100_000_000 / ROWS);
  explainer = explaining(database);
});
afterAll(() => environment.stop());

// The server counts each table when enough of it has changed, so that it knows them as of different moments.
describe.each([1, 1 / 4, 1 / 25])(
  'in a hundred million transactions, known as %d times what their entries are',
  (times) => {
    const named = '^ledger_transaction';
    beforeAll(() => believeInMoreRows(environment.database, times, named));
    afterAll(() => believeInMoreRows(environment.database, 1 / times, named));

    const read = async (span = {}): Promise<number> => {
      const { items } = await listTransactions(explainer.database, { accountId, limit: PAGE, ...span });
      expect(items).toHaveLength(PAGE);
      return rowsRead(explainer.scans());
    };

    test("a page of an account's ledger reads the rows of the page", async () =>
      expect(await read()).toBeLessThan(20 * PAGE));

    test('a page of a day may pass over entries and transactions of the account, and reads nothing of others', async () =>
      expect(await read({ from: `${month}-10T00:00:00Z`, to: `${month}-11T00:00:00Z` })).toBeLessThan(
        2 * OWN,
      ));
  },
);

describe('of an audit in books of a hundred million requests', () => {
  const isLogged = ({ table, kind }: Scan) =>
    /^usage_(\d|default)/.test(table) && kind !== 'Bitmap Index Scan';
  /** How many rows are read of the log, and of all tables. */
  const readBy = async (ask: (database: Explainer['database']) => Promise<unknown>) => {
    await ask(explainer.database);
    const scans = explainer.scans();
    return { ofUsage: rowsRead(scans.filter(isLogged)), all: rowsRead(scans) };
  };

  test('a slice of the journal reads the rows of its numbers', async () => {
    const { ofUsage, all } = await readBy((database) => auditRange(database, ROWS - 1_000, ROWS));
    expect(ofUsage).toBe(1_000);
    expect(all).toBeLessThan(40_000);
  });

  test('a slice of the sums reads the rows of its accounts and its month, for hours and for months', async () => {
    const slice = { from: `${month}-01`, until: 'infinity', after: toAccountId(6), upTo: accountId };
    const { ofUsage } = await readBy((database) => auditSums(database, slice));
    expect(ofUsage).toBeLessThan(2.3 * OWN);
  });
});
