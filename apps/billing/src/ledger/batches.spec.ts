import { waitFor } from '@tollgate/harness';
import type { DataSource } from 'typeorm';
import { postingThatCosts, postUsage } from '../../testing/bookkeeping.ts';
import { addKey } from '../../testing/keys.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { createDataSource } from '../database/data-source.ts';
import { postBatch } from '../usage/post-batch.ts';
import { auditRange } from './audit-range.ts';
import { auditSums } from './audit-sums.ts';
import { type NewTransaction, withBatch, withJournal } from './journal.ts';
import { customer } from './ledger-accounts.ts';

let environment: TestEnvironment;
beforeEach(async () => {
  environment = await startTestEnvironment();
});
afterEach(() => environment.stop());

const query = <T>(sql: string): Promise<T[]> => environment.database.query(sql);

const OCCURRED_AT = '2026-11-21T10:00:00.000Z';

const usage = (requestId: string): NewTransaction => ({
  kind: 'usage',
  requestId,
  accountId: environment.first.accountId,
  occurredAt: OCCURRED_AT,
  entries: [
    { ledgerAccount: customer(environment.first.accountId), amountPico: -5n },
    { ledgerAccount: 'revenue:v', amountPico: 5n },
  ],
});

/** A batch of one request that is written and does not end before it is told how. */
async function startBatch(requestId: string) {
  const end = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const done = withBatch(environment.database, ({ append }) =>
    append([usage(requestId)], () => {
      written.resolve();
      return end.promise;
    }),
  );
  await Promise.race([written.promise, done]);
  return { done, finish: end.resolve, fail: end.reject };
}

/** Posts a request as a batch of its own; counts how often it is written. */
function post(requestId: string) {
  const times = { written: 0 };
  const done = withBatch(environment.database, async ({ append, manager }) => {
    const known: unknown[] = await manager.query(
      'SELECT FROM billing.ledger_transaction WHERE request_id = $1',
      [requestId],
    );
    return append(known.length > 0 ? [] : [usage(requestId)], async () => {
      times.written += 1;
    });
  });
  return { done, times };
}

const somebodyWaits = () =>
  waitFor(async () => {
    const waiting = await query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return waiting.length > 0;
  }, 'somebody who waits for a lock');

const readBooks = () =>
  query(`SELECT number::int, request_id FROM billing.ledger_transaction ORDER BY number`);

const readSums = () =>
  query(`SELECT j.last_number::int, b.balance_pico::int AS balance, b.last_number::int AS of_account, m.transactions::int
    FROM billing.journal j, billing.account_balance b, billing.ledger_month m`);

test('a batch that is written beside another one is committed behind it', async () => {
  const first = await startBatch('req_first');
  const second = post('req_second');
  await somebodyWaits();
  expect(await readBooks()).toEqual([]);
  first.finish();
  await Promise.all([first.done, second.done]);
  expect(await readBooks()).toEqual([
    { number: 1, request_id: 'req_first' },
    { number: 2, request_id: 'req_second' },
  ]);
  expect(await readSums()).toEqual([{ last_number: 2, balance: -10, of_account: 2, transactions: 2 }]);
  expect(second.times.written).toBe(1);
});

test('behind a batch that comes to nothing the next one takes its number', async () => {
  const first = await startBatch('req_first');
  const second = post('req_second');
  await somebodyWaits();
  first.fail(new Error('killed'));
  await expect(first.done).rejects.toThrow('killed');
  await second.done;
  await post('req_third').done;
  expect(await readBooks()).toEqual([
    { number: 1, request_id: 'req_second' },
    { number: 2, request_id: 'req_third' },
  ]);
  expect(await readSums()).toEqual([{ last_number: 2, balance: -10, of_account: 2, transactions: 2 }]);
  expect(second.times.written).toBe(2);
});

test('a request that is in two batches at once is posted once', async () => {
  const first = await startBatch('req_same');
  const second = post('req_same');
  await somebodyWaits();
  first.finish();
  await first.done;
  expect(await second.done).toEqual([]);
  expect(await readBooks()).toEqual([{ number: 1, request_id: 'req_same' }]);
  expect(await readSums()).toEqual([{ last_number: 1, balance: -5, of_account: 1, transactions: 1 }]);
});

test('whoever holds the journal waits for the batches that are written, and sees them', async () => {
  const batch = await startBatch('req_first');
  const seen = withJournal(environment.database, async ({ append }) => {
    const before = await readBooks();
    const [second] = await append([usage('req_second')]);
    return { before, second: second?.number };
  });
  await somebodyWaits();
  batch.finish();
  await batch.done;
  expect(await seen).toEqual({ before: [{ number: 1, request_id: 'req_first' }], second: 2 });
});

test('what is written while a month is closed is booked behind its end', async () => {
  const batch = await startBatch('req_first');
  // As the release before does it, which knows of no batches.
  await query(`UPDATE billing.account SET closed_until = '2026-12-01T00:00:00Z'`);
  batch.finish();
  await batch.done;
  expect(await query('SELECT number::int, booked_at FROM billing.ledger_transaction')).toEqual([
    { number: 1, booked_at: new Date('2026-12-01T00:00:00Z') },
  ]);
});

const EVENTS = 240;
const PER_BATCH = 12;
const REPLICAS = 3;
/** So that it ends on a machine that is slow, too. */
const MAX_CUTS = 30;

/** Posts until it is committed, as the queue does. */
async function postUntilDone(database: DataSource, batch: Parameters<typeof postBatch>[1]): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    try {
      await postBatch(database, batch, []);
      return;
    } catch (error) {
      if (failures > MAX_CUTS) throw error;
    }
  }
}

test('three replicas whose connections are cut at random post each event once, under numbers without gaps', async () => {
  const { accountId } = environment.first;
  const keys = await Promise.all([1, 2, 3].map(() => addKey(environment.database, { accountId })));
  const events = Array.from({ length: EVENTS }, (_, index) =>
    postingThatCosts(
      index + 1,
      { account_id: accountId, key_id: keys[index % keys.length]?.id ?? '' },
      index,
    ),
  );
  const replicas = await Promise.all(
    Array.from({ length: REPLICAS }, () => createDataSource(environment.databaseUrl).initialize()),
  );
  let running = true;
  let cuts = 0;
  const cutting = (async () => {
    while (running && cuts < MAX_CUTS) {
      const [{ cut } = { cut: 0 }] = await query<{ cut: number }>(
        `SELECT count(pg_terminate_backend(pid))::int AS cut FROM (
           SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
             AND state <> 'idle' ORDER BY random() LIMIT 1) AS one`,
      );
      cuts += cut;
      await new Promise((resolve) => setTimeout(resolve, 10 + cut * 30));
    }
  })();
  try {
    await Promise.all(
      replicas.map(async (database, replica) => {
        // Each has a third of its own, and half of the next one's.
        for (let from = 0; from < EVENTS / 2; from += PER_BATCH) {
          const at = (replica * EVENTS) / REPLICAS + from;
          await postUntilDone(
            database,
            Array.from({ length: PER_BATCH }, (_, index) => events[(at + index) % EVENTS]).flatMap(
              (event) => event ?? [],
            ),
          );
        }
      }),
    );
  } finally {
    running = false;
    await cutting;
    await Promise.all(replicas.map((database) => database.destroy()));
  }
  expect(cuts).toBeGreaterThan(5);
  // The books go on behind what was cut.
  await postUsage(environment.database, accountId, 7);
  const audited = await auditRange(environment.database, 0, EVENTS + 1);
  expect(audited).toMatchObject({ transactions: EVENTS + 1, imbalancePico: 0n, differences: [] });
  expect(await auditSums(environment.database)).toEqual([]);
  expect(
    await query(`SELECT last_number::int, (SELECT count(*)::int FROM billing.usage) AS rows,
      (SELECT -balance_pico::int FROM billing.account_balance) AS spent FROM billing.journal`),
  ).toEqual([{ last_number: EVENTS + 1, rows: EVENTS + 1, spent: (EVENTS * (EVENTS + 1)) / 2 + 7 }]);
});
