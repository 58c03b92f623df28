import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { postBatch } from '../usage/post-batch.ts';
import { computePosting } from '../usage/posting.ts';
import { closePeriod } from './close-period.ts';
import { verifyChain } from './verify-chain.ts';

let environment: TestEnvironment;
let accountId: string;

beforeEach(async () => {
  environment = await startTestEnvironment();
  accountId = environment.first.accountId;
  await environment.database.query(`UPDATE billing.account SET created_at = '2025-09-10T00:00:00Z'`);
  const postings = ['2025-09-12', '2025-10-12', '2025-11-12', '2025-12-12'].flatMap((day) => {
    const event = usageEvent({ account_id: accountId, occurred_at: `${day}T00:00:00.000Z` });
    const result = computePosting(event, snapshotWith({ input: 7, output: 11 }, '1'));
    return result.ok ? [result.value] : [];
  });
  await postBatch(environment.database, postings, []);
  for (const month of ['2025-09', '2025-10', '2025-11'])
    await closePeriod(environment.database, accountId, month, { actor: 'a@b.example', reason: 'month-end' });
});
afterEach(() => environment.stop());

/** As a superuser can who switches the triggers off. */
const tamper = (statement: string) =>
  environment.database.transaction(async (manager) => {
    await manager.query('SET LOCAL session_replication_role = replica');
    await manager.query(statement);
  });

const ENTRIES_OF_2 = `UPDATE billing.ledger_entry SET amount_pico = amount_pico * 2 WHERE number = 2`;

test.each([
  ['amounts of entries', ENTRIES_OF_2, '2025-10', 'digest'],
  [
    'the moment of a transaction',
    `UPDATE billing.ledger_transaction SET occurred_at = occurred_at + interval '1 microsecond' WHERE number = 2`,
    '2025-10',
    'digest',
  ],
  ['a removed transaction', 'DELETE FROM billing.ledger_transaction WHERE number = 3', '2025-11', 'digest'],
  [
    'a transaction that is moved to an open month',
    `UPDATE billing.ledger_transaction SET booked_at = now() WHERE number = 1`,
    '2025-09',
    'digest',
  ],
  [
    'a transaction that is put before the first period',
    `INSERT INTO billing.ledger_transaction (number, kind, account_id, request_id, occurred_at, booked_at)
     SELECT 99, kind, account_id, 'req_forged', occurred_at, '2025-08-01' FROM billing.ledger_transaction WHERE number = 1`,
    '2025-11',
    'transaction before the first period',
  ],
  [
    'tokens of the usage log',
    'UPDATE billing.usage SET tokens_input = tokens_input + 1 WHERE number = 2',
    '2025-10',
    'totals.usage',
  ],
  ['a removed usage row', 'DELETE FROM billing.usage WHERE number = 2', '2025-10', 'totals.requests'],
  [
    'frozen totals',
    `UPDATE billing.period_seal SET totals = jsonb_set(totals, '{closing_balance_pico}', '"0"') WHERE month = '2025-10-01'`,
    '2025-10',
    'hash',
  ],
  [
    'who closed it',
    `UPDATE billing.period SET closed_by = 'somebody@else.example' WHERE month = '2025-09-01'`,
    '2025-09',
    'hash',
  ],
  ['a seal that is gone', `DELETE FROM billing.period_seal WHERE month = '2025-10-01'`, '2025-10', 'hash'],
  [
    'a first period that is gone',
    `DELETE FROM billing.period WHERE month = '2025-09-01'`,
    '2025-10',
    'previous_hash',
  ],
  [
    'a last period that is gone',
    `DELETE FROM billing.period WHERE month = '2025-11-01'`,
    '2025-10',
    'closed_until',
  ],
  [
    'an account that is opened again',
    `UPDATE billing.account SET closed_until = '2025-10-01'`,
    '2025-11',
    'closed_until',
  ],
])('%s: the first difference is found', async (_what, statement, month, what) => {
  expect((await verifyChain(environment.database, accountId)).first_difference).toBeNull();
  await tamper(statement);
  expect((await verifyChain(environment.database, accountId)).first_difference).toMatchObject({
    month,
    what,
  });
});

test('of two differences the older one is answered, with both values', async () => {
  await tamper(`${ENTRIES_OF_2}; UPDATE billing.usage SET cost_pico = 1 WHERE number = 1`);
  const { first_difference } = await verifyChain(environment.database, accountId);
  expect(first_difference).toMatchObject({
    month: '2025-09',
    what: 'totals.usage',
    stored: [{ cost_pico: '76' }],
    computed: [{ cost_pico: '1' }],
  });
});

test('what is posted into the open period is no difference', async () => {
  await tamper(`UPDATE billing.ledger_entry SET amount_pico = amount_pico * 2 WHERE number = 4`);
  expect((await verifyChain(environment.database, accountId)).first_difference).toBeNull();
});

test('a month of the usage log that was moved to the archive still counts', async () => {
  await environment.database.query(`
    CREATE SCHEMA IF NOT EXISTS billing_archive;
    CREATE TABLE billing_archive.usage_2025_10 AS SELECT * FROM billing.usage WHERE number = 2;
    DELETE FROM billing.usage WHERE number = 2`);
  expect((await verifyChain(environment.database, accountId)).first_difference).toBeNull();
});
