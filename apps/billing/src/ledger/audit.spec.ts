import { waitFor } from '@tollgate/harness';
import { createMetrics } from '@tollgate/platform';
import { beginTestAudit, completeAudit } from '../../testing/complete-audit.ts';
import { postingThatCosts, postUsage } from '../../testing/bookkeeping.ts';
import type { EntityManager } from 'typeorm';
import { type TestEnvironment, silent, startTestEnvironment } from '../../testing/test-environment.ts';
import { postBatch } from '../usage/post-batch.ts';
import { startAuditJob } from './audit-job.ts';
import type { AuditCheck } from '@tollgate/vocabulary';
import { type AuditReport, auditNew } from './audit.ts';
import { paymentEntries } from './entries.ts';
import { withJournal } from './journal.ts';
import { findDoubts } from './audit-runs.ts';
import type { AuditDatabase } from './complete-audit.ts';
import { createLastAudit } from './last-audit.ts';
import { createLedgerMetrics } from './ledger-metrics.ts';

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment();
  const { accountId } = environment.first;
  await postBatch(
    environment.database,
    [1, 2].map((cost) => postingThatCosts(cost, { account_id: accountId }, 1)),
    [],
  );
  await postUsage(environment.database, accountId, 0);
  await withJournal(environment.database, ({ append }) =>
    append([
      {
        kind: 'payment',
        accountId,
        occurredAt: '2026-11-21T11:00:00.000Z',
        entries: paymentEntries(accountId, 50n),
        idempotencyKey: 'payment',
        actor: 'owner@billing.example',
        reason: 'a reason',
      },
    ]),
  );
});
afterAll(() => environment.stop());

const auditing = (database: AuditDatabase, slice?: number) => ({
  incremental: () => auditNew(database, slice),
  complete: (isFromStart = true) => completeAudit(database, { isFromStart, ...(slice && { slice }) }),
});
type Audits = ReturnType<typeof auditing>;

class RolledBack extends Error {}

/** Runs in a transaction that leaves no trace. */
async function apart(work: (manager: EntityManager, audits: Audits) => Promise<void>): Promise<void> {
  const done = environment.database.transaction(async (manager) => {
    await work(manager, auditing(manager));
    throw new RolledBack();
  });
  await expect(done).rejects.toThrow(RolledBack);
}

/** Changes the books behind the service's back, as only the database's superuser can. */
async function tamper(manager: EntityManager, ...statements: string[]): Promise<void> {
  await manager.query('SET LOCAL session_replication_role = replica');
  for (const statement of statements) await manager.query(statement);
}

test('books that are right are found right, from the beginning or from where the last audit ended', () =>
  apart(async (manager, audits) => {
    const whole = { transactions: 3, entries: 6, accounts: 1, imbalancePico: 0n, differences: [] };
    expect(await audits.incremental()).toEqual({ after: 0, to: 4, ...whole });
    await postUsage(manager, environment.first.accountId, 5);
    const next = { transactions: 1, entries: 2, accounts: 1, imbalancePico: 0n, differences: [] };
    expect(await audits.incremental()).toEqual({ after: 4, to: 5, ...next });
    expect(await audits.incremental()).toMatchObject({ after: 5, to: 5, transactions: 0, differences: [] });
    expect(await audits.complete()).toEqual({ after: 0, to: 5, ...whole, transactions: 4, entries: 8 });
  }));

test('a complete audit spares the next incremental one its work', () =>
  apart(async (_manager, audits) => {
    await audits.complete();
    expect(await audits.incremental()).toMatchObject({ after: 4, to: 4, differences: [] });
  }));

test('a slice does not end within a transaction: the first one has two numbers', () =>
  apart(async (manager) => {
    const audits = auditing(manager, 1);
    const ends: number[] = [];
    for (let slice = 0; slice < 3; slice += 1) ends.push((await audits.incremental()).to);
    expect(ends).toEqual([2, 3, 4]);
    expect(await audits.complete()).toMatchObject({ to: 4, transactions: 3, differences: [] });
  }));

test('an audit goes slice by slice: a complete one through all, an incremental one to the next', () =>
  apart(async (manager) => {
    const audits = auditing(manager, 3);

    await tamper(manager, 'UPDATE billing.account_balance SET balance_pico = balance_pico + 1');
    const balance = { check: 'balance_differs_from_entries', expectedPico: 47n, foundPico: 48n };
    const sums = { check: 'ledger_month_differs_from_balance', expectedPico: 48n, foundPico: 47n };
    expect(await audits.complete()).toMatchObject({ to: 4, transactions: 3, differences: [balance, sums] });
    expect(await audits.incremental()).toMatchObject({ after: 0, to: 3, transactions: 2, differences: [] });
    expect(await audits.incremental()).toMatchObject({ after: 3, to: 4, differences: [balance, sums] });
    await tamper(manager, 'UPDATE billing.account_balance SET balance_pico = balance_pico - 1');
    expect(await audits.incremental()).toMatchObject({ after: 3, to: 4, differences: [] });
  }));

const of2 = 'WHERE number = 2';
test.each<[string, string[], AuditCheck[]]>([
  [
    'an amount is changed',
    [`UPDATE billing.ledger_entry SET amount_pico = 9 ${of2} AND ledger_account LIKE 'revenue:%'`],
    ['entries_not_balanced', 'usage_differs_from_entries'],
  ],
  [
    'the vendor earns and the customer pays too much',
    [
      `UPDATE billing.ledger_entry SET amount_pico = amount_pico * 2 ${of2} AND ledger_account ~ '^(revenue|customer):'`,
      'UPDATE billing.account_balance SET balance_pico = balance_pico - 2',
    ],
    ['usage_differs_from_entries'],
  ],
  [
    'the upstream is owed too much',
    [
      `UPDATE billing.ledger_entry SET amount_pico = amount_pico * 2 ${of2} AND ledger_account ~ '^(cost|payable):'`,
    ],
    ['usage_differs_from_entries'],
  ],
  [
    'the usage log says something else',
    [`UPDATE billing.usage SET cost_pico = 3 ${of2}`],
    ['usage_differs_from_entries', 'digest_differs_from_rows'],
  ],
  [
    'two requests say something else that comes to the same',
    ['UPDATE billing.usage SET cost_pico = 3 - cost_pico WHERE number <= 2'],
    ['digest_differs_from_rows'],
  ],
  [
    'a usage row is gone',
    [`DELETE FROM billing.usage ${of2}`],
    ['transaction_without_usage', 'usage_differs_from_entries', 'digest_differs_from_rows'],
  ],
  [
    'a usage row is of another request',
    [`UPDATE billing.usage SET request_id = 'req_other' ${of2}`],
    ['digest_differs_from_rows'],
  ],
  [
    'a usage row is of another account',
    [`UPDATE billing.usage SET account_id = key_id ${of2}`],
    ['usage_without_transaction', 'usage_differs_from_entries'],
  ],
  [
    'a usage row is there twice, in another month',
    [
      `CREATE TEMPORARY TABLE again ON COMMIT DROP AS SELECT * FROM billing.usage ${of2}`,
      `UPDATE again SET occurred_at = occurred_at + interval '1 month', cost_pico = 0, upstream_cost_pico = 0`,
      'INSERT INTO billing.usage SELECT * FROM again',
    ],
    ['usage_posted_twice', 'digest_differs_from_rows'],
  ],
  [
    'numbers are taken twice',
    [`UPDATE billing.ledger_transaction SET numbers = 2 WHERE number = 3`],
    ['number_taken_twice', 'usage_differs_from_entries', 'digest_differs_from_rows'],
  ],
  [
    'a transaction is gone',
    [`DELETE FROM billing.ledger_transaction ${of2}`],
    [
      'number_missing',
      'number_missing',
      'usage_without_transaction',
      'entries_without_transaction',
      'usage_without_transaction',
    ],
  ],
  [
    'a transaction and all that it wrote is gone',
    [
      `DELETE FROM billing.ledger_transaction ${of2}`,
      `DELETE FROM billing.ledger_entry ${of2}`,
      'DELETE FROM billing.usage WHERE number <= 2',
      'UPDATE billing.account_balance SET balance_pico = balance_pico + 3',
    ],
    ['number_missing', 'number_missing'],
  ],
  [
    'a payment has lost its entries',
    [
      'DELETE FROM billing.ledger_entry WHERE number = 4',
      'UPDATE billing.account_balance SET balance_pico = balance_pico - 50',
    ],
    ['transaction_without_entries'],
  ],
])('an audit finds that %s', (_what, statements, checks) =>
  apart(async (manager, audits) => {
    await tamper(manager, ...statements);
    for (const report of [await audits.incremental(), await audits.complete()]) {
      const ofTransactions = report.differences.filter(({ accountId }) => accountId === undefined);
      expect(ofTransactions.map(({ check }) => check)).toEqual(checks);
      const of = checks.includes('transaction_without_entries') ? 4 : 2;
      expect(ofTransactions.map(({ number }) => number)).toContain(of);
    }
  }),
);

test('an audit finds a balance that is not the fold of its entries, also one without any', () =>
  apart(async (manager, audits) => {
    await audits.incremental();
    const { accountId } = environment.first;
    const stranger = '0198f1c2-7d1e-7000-8000-00000000dead';
    await tamper(
      manager,
      'UPDATE billing.account_balance SET balance_pico = balance_pico + 1',
      `INSERT INTO billing.account_balance VALUES ('${stranger}', 5, 1)`,
    );
    const differences = [
      { check: 'balance_differs_from_entries', accountId, expectedPico: 47n, foundPico: 48n },
      { check: 'balance_differs_from_entries', accountId: stranger, expectedPico: 0n, foundPico: 5n },
    ];
    const ofBalances = (report: AuditReport) =>
      report.differences
        .filter(({ check }) => check === 'balance_differs_from_entries')
        .sort((one, other) => Number(one.expectedPico === 0n) - Number(other.expectedPico === 0n));
    expect(ofBalances(await audits.incremental())).toEqual(differences);
    expect(ofBalances(await audits.complete())).toEqual(differences);
  }));

const MORE = 'SET cost_pico = cost_pico + 1';
const SPENT = 'SET spent_pico = spent_pico + 1';
test.each<[string, string, AuditCheck, AuditCheck | null]>([
  [
    'what a month did to a balance',
    `UPDATE billing.ledger_month SET amount_pico = amount_pico - 1 WHERE kind = 'usage'`,
    'ledger_month_differs_from_entries',
    'ledger_month_differs_from_balance',
  ],
  [
    'how many requests a month has',
    'UPDATE billing.usage_month SET requests = requests + 1',
    'usage_month_differs_from_usage',
    'usage_month_differs_from_ledger_month',
  ],
  [
    "a month's tokens of a kind",
    'UPDATE billing.usage_month SET tokens_cache_read = tokens_cache_read + 1',
    'usage_month_differs_from_usage',
    null,
  ],
  [
    'a month that is gone',
    'DELETE FROM billing.usage_month',
    'usage_month_differs_from_usage',
    'usage_month_differs_from_ledger_month',
  ],
  ['an hour by key', `UPDATE billing.usage_hour ${MORE}`, 'usage_hour_differs_from_usage', null],
  [
    'an hour of an account',
    `UPDATE billing.account_hour ${MORE}`,
    'account_hour_differs_from_usage_hour',
    null,
  ],
  [
    'an hour of an upstream',
    'UPDATE billing.served_hour SET upstream_cost_pico = upstream_cost_pico + 1',
    'served_hour_differs_from_usage',
    null,
  ],
  [
    'a day of a key',
    `UPDATE billing.key_spend ${SPENT} WHERE span = 'day'`,
    'key_spend_differs_from_usage_month',
    'key_spend_differs_from_usage_month',
  ],
  [
    'what a key spent',
    `INSERT INTO billing.api_key (id, account_id, name, key_hash, masked, group_name, status, spent_pico)
     SELECT DISTINCT key_id, account_id, 'a key', repeat('a', 64), 'sk-…', 'default', 'active', 99 FROM billing.usage_month`,
    'spent_by_key_differs_from_usage_month',
    'spent_by_key_differs_from_usage_month',
  ],
])('an audit finds sums that are not those of the rows: %s', (_what, statement, whole, incremental) =>
  apart(async (manager, audits) => {
    await tamper(manager, statement);
    const found = (report: AuditReport) => report.differences.map(({ check }) => check);
    if (incremental) expect(found(await audits.incremental())).toContain(incremental);
    expect(found(await audits.complete())).toContain(whole);
  }),
);

test('what an incremental audit found is found again until it is put right', () =>
  apart(async (manager, audits) => {
    await tamper(manager, `UPDATE billing.usage SET cost_pico = 3 ${of2}`);
    for (let audit = 0; audit < 2; audit += 1) {
      expect((await audits.incremental()).differences).toEqual([
        { check: 'usage_differs_from_entries', number: 2, expectedPico: 4n, foundPico: 3n },
        { check: 'digest_differs_from_rows', number: 2 },
      ]);
    }
    await tamper(manager, `UPDATE billing.usage SET cost_pico = 2 ${of2}`);
    expect(await audits.incremental()).toMatchObject({ after: 0, to: 4, differences: [] });
  }));

test('an audit since the last one leaves out what was right then, and begins at the start while anything is in doubt', () =>
  apart(async (manager, audits) => {
    const since = () => audits.complete(false);
    // None was right yet.
    expect(await since()).toMatchObject({ after: 0, transactions: 3, differences: [] });
    await postUsage(manager, environment.first.accountId, 5);
    expect(await since()).toMatchObject({ after: 4, to: 5, transactions: 1, differences: [] });

    await tamper(manager, `UPDATE billing.usage SET cost_pico = 3 ${of2}`);
    expect(await since()).toMatchObject({ after: 5, transactions: 0, differences: [] });
    const found = [{ check: 'usage_differs_from_entries' }, { check: 'digest_differs_from_rows' }];
    const { differences } = await audits.complete();
    expect(differences.slice(0, 2)).toMatchObject(found);
    expect(await findDoubts(manager)).toBe(differences.length);
    expect(await audits.incremental()).toMatchObject({ after: 5, differences: [] });
    expect((await since()).differences).toEqual(differences);

    await tamper(manager, `UPDATE billing.usage SET cost_pico = 2 ${of2}`);
    expect(await since()).toMatchObject({ after: 0, transactions: 4, differences: [] });
    expect(await findDoubts(manager)).toBe(0);
    expect(await since()).toMatchObject({ after: 5, differences: [] });
  }));

test.each([1, 250_000])(
  'sums are compared from the month on that anything was added to, or all of them, by slices of %d',
  (slice) =>
    apart(async (manager) => {
      const audits = auditing(manager, slice);
      const found = async (isFromStart: boolean) =>
        (await audits.complete(isFromStart)).differences.map(({ check }) => check);
      const post = (occurred_at: string) =>
        postUsage(manager, environment.first.accountId, 5, { occurred_at });
      await post('2026-08-05T10:20:00.000Z');
      expect(await found(true)).toEqual([]);
      await post('2026-11-21T10:20:00.000Z');
      await tamper(manager, `UPDATE billing.account_hour ${MORE} WHERE hour < '2026-09-01'`);
      expect(await found(false)).toEqual([]);
      expect(await found(true)).toEqual(['account_hour_differs_from_usage_hour']);
      await tamper(
        manager,
        `UPDATE billing.account_hour SET cost_pico = cost_pico - 1 WHERE hour < '2026-09-01'`,
      );
      expect(await found(false)).toEqual([]);

      await post('2026-11-21T10:20:00.000Z');
      await tamper(
        manager,
        `UPDATE billing.account_hour ${MORE} WHERE hour > '2026-09-01'`,
        `UPDATE billing.account_balance SET balance_pico = balance_pico + 1`,
        // Of no month that there is: behind the last, and before the first.
        `INSERT INTO billing.ledger_month VALUES ('${environment.first.accountId}', '2031-01-01', 'payment', 1, 0),
          ('${environment.first.accountId}', '2001-01-01', 'payment', 1, 0)`,
      );
      const since = [
        'balance_differs_from_entries',
        'account_hour_differs_from_usage_hour',
        'ledger_month_differs_from_entries',
        'ledger_month_differs_from_balance',
      ];
      expect((await found(false)).sort()).toEqual(since.sort());
      expect((await found(true)).sort()).toEqual([...since, 'ledger_month_differs_from_entries'].sort());
    }),
);

test('who asks for an audit while one runs that reads as much is told of that one', () =>
  apart(async (manager, audits) => {
    const begin = (isFromStart: boolean) => beginTestAudit(manager, isFromStart);
    const whole = await begin(true);
    expect([await begin(true), await begin(false)]).toEqual([whole, whole]);
    await audits.complete();
    const since = await begin(false);
    expect(await begin(true)).not.toBe(since);
    expect(await begin(false)).toBe(since);
  }));

test('usage of a month that was taken out of the log still counts as posted', () =>
  apart(async (manager, audits) => {
    await tamper(
      manager,
      'CREATE SCHEMA IF NOT EXISTS billing_archive',
      `CREATE TABLE billing_archive.usage_2020_01 AS SELECT * FROM billing.usage ${of2}`,
      `DELETE FROM billing.usage ${of2}`,
    );
    expect((await audits.complete()).differences).toEqual([]);
  }));

test('audits beside each other and beside posting find nothing wrong and end at the last number', async () => {
  const audits = auditing(environment.database);
  const { accountId } = environment.first;
  const posting = Array.from({ length: 30 }, (_, cost) => postUsage(environment.database, accountId, cost));
  const during = await Promise.all(
    Array.from({ length: 6 }, (_, index) => (index % 2 ? audits.complete() : audits.incremental())),
  );
  await Promise.all(posting);
  for (const { differences } of during) expect(differences).toEqual([]);
  expect(await audits.incremental()).toMatchObject({ to: 34, differences: [] });
});

test('the job tells the metrics what it found, and keeps it', async () => {
  const revenue = (amount: number) =>
    environment.database.transaction((manager) =>
      tamper(
        manager,
        `UPDATE billing.ledger_entry SET amount_pico = ${amount} WHERE number = 35 AND ledger_account ~ '^revenue:'`,
      ),
    );
  await postUsage(environment.database, environment.first.accountId, 2);
  await revenue(9);
  const metrics = createMetrics('billing');
  const ledgerMetrics = createLedgerMetrics(metrics);
  const lastAudit = createLastAudit();
  expect(lastAudit.get()).toBeNull();
  const job = startAuditJob({
    database: environment.database,
    lastAudit,
    metrics: ledgerMetrics,
    logger: silent,
    everyMs: 20,
  });
  const tells = (line: string) =>
    waitFor(async () => (await metrics.metrics()).split('\n').includes(line), line);
  await tells('tollgate_ledger_audited_number{service="billing"} 35');
  await tells('tollgate_ledger_imbalance_pico{service="billing"} 7');
  await tells('tollgate_ledger_audit_differences{service="billing"} 2');
  await revenue(2);
  await tells('tollgate_ledger_audit_differences{service="billing"} 0');
  await waitFor(() => lastAudit.get()?.report.imbalancePico === 0n, 'an audit of what was put right');
  expect(lastAudit.get()?.report).toMatchObject({ to: 35, differences: [] });

  const addHours = (cost: number) =>
    environment.database.transaction((manager) =>
      tamper(manager, `UPDATE billing.account_hour SET cost_pico = cost_pico + ${cost}`),
    );
  await addHours(1);
  expect((await completeAudit(environment.database)).differences).toHaveLength(1);
  await tells('tollgate_ledger_audit_differences{service="billing"} 1');
  await addHours(-1);
  expect((await completeAudit(environment.database, { isFromStart: false })).differences).toEqual([]);
  await tells('tollgate_ledger_audit_differences{service="billing"} 0');
  await job.stop();
});
