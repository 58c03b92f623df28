import { join } from 'node:path';
import { createTestDatabase, runToEnd } from '@tollgate/harness';
import pg from 'pg';
import { checkBooks } from './check-books.ts';

const MIGRATE = join(import.meta.dirname, '../../../apps/billing/dist/migrate.js');
/** Every test begins with a copy of what this leaves. */
const migrateBilling = async (url: string): Promise<void> =>
  void (await runToEnd(MIGRATE, { DATABASE_URL: url }));
const ACCOUNT = '0198f1c2-7d1e-7000-8000-000000000001';
const KEY = '0198f1c2-7d1e-7000-8000-000000000002';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let client: pg.Client;
beforeEach(async () => {
  database = await createTestDatabase(migrateBilling);
  client = new pg.Client(database.url);
  await client.connect();
  await client.query(`
    INSERT INTO billing.account (id, name) VALUES ('${ACCOUNT}', 'A');
    INSERT INTO billing.api_key (id, account_id, name, key_hash, masked, group_name, spent_pico)
      VALUES ('${KEY}', '${ACCOUNT}', 'k', repeat('0', 64), 'sk', 'default', 30);
    INSERT INTO billing.ledger_transaction (number, numbers, kind, account_id, digest, request_id, occurred_at, booked_at)
      VALUES (2, 2, 'usage', '${ACCOUNT}', '', NULL, now(), now()), (3, 1, 'usage', '${ACCOUNT}', NULL, 'req_3', now(), now());
    INSERT INTO billing.ledger_entry VALUES
      (2, 'customer:${ACCOUNT}', -20), (2, 'revenue:acme', 20), (3, 'customer:${ACCOUNT}', -10), (3, 'revenue:acme', 10);
    INSERT INTO billing.usage (request_id, number, occurred_at, booked_at, account_id, key_id, group_name, model, vendor,
        pool, upstream, upstream_model, protocol, stream, snapshot_version, group_ratio, discount_ratio, cost_pico,
        usage_source, outcome, http_status, latency_ms, first_byte_ms)
      SELECT 'req_' || n, n, now(), now(), '${ACCOUNT}', '${KEY}', 'default', 'm', 'acme', 'main', 'u', 'm',
        'openai-chat', false, 1, '1', '1', 10, 'upstream', 'completed', 200, 1, 1 FROM generate_series(1, 3) AS n;
    INSERT INTO billing.account_balance VALUES ('${ACCOUNT}', -30, 3);
    UPDATE billing.journal SET last_number = 3;
    SET session_replication_role = replica;
  `);
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

const LOST = `
  INSERT INTO billing.ledger_transaction (number, kind, account_id, request_id, occurred_at, booked_at)
    VALUES (4, 'lost_attempt', '00000000-0000-0000-0000-000000000000', 'req_3.1', now(), now());
  INSERT INTO billing.ledger_entry VALUES (4, 'cost:u', -5), (4, 'payable:u', 5);
  INSERT INTO billing.lost_attempt (request_id, number, occurred_at, booked_at, account_id, key_id, group_name, model, vendor,
      pool, upstream, upstream_model, protocol, stream, snapshot_version, cause, upstream_cost_pico, latency_ms)
    VALUES ('req_3.1', 4, now(), now(), '${ACCOUNT}', '${KEY}', 'default', 'm', 'acme', 'main', 'u', 'm', 'openai-chat', false,
      1, 'timeout', 5, 1);
  UPDATE billing.journal SET last_number = 4`;

const DIFFERENT = '2 ledger accounts have something else than the rows of their transactions say';
const ANSWERED = ['req_1', 'req_2', 'req_3'];

test('nothing is found in books that are right', async () => {
  expect(await checkBooks(database.url, ANSWERED)).toEqual({
    rows: 3,
    leftRows: 0,
    lostAttempts: 0,
    findings: [],
  });
});

test.each([
  [
    'DELETE FROM billing.usage WHERE number = 1; UPDATE billing.api_key SET spent_pico = 20',
    [
      '1 requests of ledger transactions have no usage row',
      DIFFERENT,
      '1 answered requests have no usage row',
    ],
  ],
  [
    'DELETE FROM billing.ledger_transaction WHERE number = 2',
    ['2 usage rows have no ledger transaction', '2 numbers are missing'],
  ],
  [
    `UPDATE billing.ledger_entry SET amount_pico = 21 WHERE number = 2 AND ledger_account = 'revenue:acme'`,
    [
      '1 ledger transactions do not sum to zero',
      '1 ledger accounts have something else than the rows of their transactions say',
    ],
  ],
  [
    `UPDATE billing.ledger_entry SET ledger_account = 'revenue:other' WHERE number = 3 AND ledger_account = 'revenue:acme'`,
    [DIFFERENT],
  ],
  [
    `UPDATE billing.ledger_transaction SET numbers = 2, request_id = NULL, digest = '' WHERE number = 3;
     UPDATE billing.journal SET last_number = 4`,
    [DIFFERENT, '1 numbers are taken twice'],
  ],
  ['UPDATE billing.account_balance SET balance_pico = -29', ['1 balances are not the fold of their entries']],
  [
    'UPDATE billing.api_key SET spent_pico = 29',
    ['1 keys have spent something else than their usage rows say'],
  ],
  [
    'UPDATE billing.usage SET cost_pico = 9 WHERE number = 1; UPDATE billing.api_key SET spent_pico = 29',
    [DIFFERENT],
  ],
  [
    `UPDATE billing.usage SET request_id = 'req_1', occurred_at = occurred_at + interval '1 month' WHERE number = 2`,
    ['1 requests have more than one usage row', '1 answered requests have no usage row'],
  ],
  [LOST, []],
  [`${LOST}; DELETE FROM billing.lost_attempt`, ['1 lost attempts of ledger transactions have no row']],
  [
    `${LOST}; UPDATE billing.lost_attempt SET number = 3`,
    ['1 lost attempts have no ledger transaction', '1 lost attempts of ledger transactions have no row'],
  ],
  [
    `${LOST}; UPDATE billing.lost_attempt SET upstream_cost_pico = 6`,
    ['1 lost attempts cost something else than their entries say'],
  ],
  [
    `${LOST}; UPDATE billing.ledger_entry SET ledger_account = 'grants' WHERE number = 4 AND amount_pico < 0`,
    ['1 customers pay for lost attempts'],
  ],
  [`INSERT INTO billing.usage_rejected (reason, event) VALUES ('r', '{}')`, ['1 events were rejected']],
])('%s is found', async (damage, findings) => {
  await client.query(damage);
  expect((await checkBooks(database.url, ANSWERED)).findings).toEqual(findings);
});
