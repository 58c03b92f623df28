import { waitFor } from '@tollgate/harness';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { withJournal } from './journal.ts';

const BATCHES = 40;
const EACH = 50;

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment();
});
afterAll(() => environment.stop());

const usage = () => ({
  kind: 'usage' as const,
  digest: '00',
  accountId: environment.first.accountId,
  occurredAt: '2026-11-21T10:00:00.000Z',
  entries: [
    { ledgerAccount: 'customer:a', amountPico: -5n },
    { ledgerAccount: 'revenue:v', amountPico: 5n },
  ],
});

interface Reads {
  readonly relname: string;
  readonly written: string;
  readonly scanned: string;
}

test('what is appended is checked without reading the ledger that is there', async () => {
  for (let batch = 0; batch < BATCHES; batch += 1)
    await withJournal(environment.database, ({ append }) => append(Array.from({ length: EACH }, usage)));
  const reads = await waitFor(async () => {
    const tables: Reads[] = await environment.database.query(
      `SELECT relname, n_tup_ins AS written, seq_tup_read AS scanned FROM pg_stat_user_tables
       WHERE relname IN ('ledger_entry', 'ledger_transaction') ORDER BY relname`,
    );
    // The server counts a moment later.
    return Number(tables[0]?.written) === 2 * BATCHES * EACH ? tables : undefined;
  }, 'the statistics of the tables');
  expect(reads).toEqual([
    { relname: 'ledger_entry', written: String(2 * BATCHES * EACH), scanned: '0' },
    { relname: 'ledger_transaction', written: String(BATCHES * EACH), scanned: '0' },
  ]);
});
