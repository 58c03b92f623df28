import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { withJournal } from './journal.ts';

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment();
  await withJournal(environment.database, ({ append }) =>
    append([
      {
        kind: 'usage',
        digest: '00',
        accountId: environment.first.accountId,
        occurredAt: '2026-11-21T10:00:00.000Z',
        entries: [
          { ledgerAccount: 'customer:a', amountPico: -5n },
          { ledgerAccount: 'revenue:v', amountPico: 5n },
        ],
      },
    ]),
  );
});
afterAll(() => environment.stop());

const entries = () =>
  environment.database.query(
    'SELECT ledger_account, amount_pico FROM billing.ledger_entry ORDER BY ledger_account',
  );

afterEach(async () => {
  expect(await entries()).toEqual([
    { ledger_account: 'customer:a', amount_pico: '-5' },
    { ledger_account: 'revenue:v', amount_pico: '5' },
  ]);
});

test.each([
  ['one more entry of a transaction that is balanced', `VALUES (1, 'revenue:w', 1)`],
  ['two entries that do not cancel out', `VALUES (1, 'revenue:w', 3), (1, 'customer:b', -2)`],
])('the database refuses %s', async (_what, values) => {
  await expect(environment.database.query(`INSERT INTO billing.ledger_entry ${values}`)).rejects.toThrow(
    `ledger transaction 1 does not sum to zero`,
  );
});

test('the database refuses an entry of nothing', async () => {
  await expect(
    environment.database.query(`INSERT INTO billing.ledger_entry VALUES (1, 'customer:c', 0)`),
  ).rejects.toThrow(/check constraint/);
});

test('the database refuses a second transaction of one request', async () => {
  await expect(
    environment.database.query(
      `INSERT INTO billing.ledger_transaction (number, kind, request_id, account_id, occurred_at, booked_at)
       SELECT n, 'usage', 'req_ledger', $1, now(), now() FROM generate_series(2, 3) AS n`,
      [environment.first.accountId],
    ),
  ).rejects.toThrow(/unique constraint/);
});

test.each([
  ['UPDATE billing.ledger_entry SET amount_pico = amount_pico * 2'],
  ['DELETE FROM billing.ledger_entry'],
  ['TRUNCATE billing.ledger_entry'],
  ['UPDATE billing.ledger_transaction SET occurred_at = now()'],
  ['DELETE FROM billing.ledger_transaction'],
  ['TRUNCATE billing.ledger_transaction, billing.ledger_entry'],
])('the database refuses %s', async (statement) => {
  await expect(environment.database.query(statement)).rejects.toThrow('the ledger is append-only');
});

test('what scans no table as a whole compiles nothing: before PostgreSQL 18 such a scan costs more than machine code', async () => {
  const functions = await environment.database.query(
    `SELECT proname, 'jit=off' = ANY(proconfig) AS compiles_nothing FROM pg_proc
     WHERE pronamespace = 'billing'::regnamespace AND 'enable_seqscan=off' = ANY(proconfig)`,
  );
  expect(functions).toContainEqual({ proname: 'book_batch', compiles_nothing: true });
  expect(functions).not.toContainEqual(expect.objectContaining({ compiles_nothing: false }));
});
