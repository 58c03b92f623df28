import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { waitFor } from '@tollgate/harness';
import type { EntityManager } from 'typeorm';
import { postUsage } from '../../testing/bookkeeping.ts';
import { addKey } from '../../testing/keys.ts';
import type { Work } from '../../testing/posting-replica.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { auditRange } from './audit-range.ts';
import { auditAllSums } from '../../testing/complete-audit.ts';
import { withBatch } from './batch.ts';
import { withJournal } from './journal.ts';
import { customer } from './ledger-accounts.ts';
import type { BookedEvent, LedgerEvent } from './sum-events.ts';

let environment: TestEnvironment;
beforeEach(async () => {
  environment = await startTestEnvironment();
});
afterEach(() => environment.stop());

const query = <T>(sql: string): Promise<T[]> => environment.database.query(sql);

const OCCURRED_AT = '2026-11-21T10:00:00.000Z';

const usage = (requestId: string): LedgerEvent => ({
  kind: 'usage',
  digested: requestId,
  accountId: environment.first.accountId,
  occurredAt: OCCURRED_AT,
  entries: [
    { ledgerAccount: customer(environment.first.accountId), amountPico: -5n },
    { ledgerAccount: 'revenue:v', amountPico: 5n },
  ],
});

/** The rows of the usage log, which refuses a request that a month has already. */
async function writeUsage(manager: EntityManager, booked: readonly BookedEvent[]): Promise<void> {
  for (const { event, number, bookedAt } of booked)
    await manager.query(
      `INSERT INTO billing.usage (request_id, number, occurred_at, booked_at, account_id, key_id, group_name, model, vendor, pool,
         upstream, upstream_model, protocol, stream, snapshot_version, group_ratio, discount_ratio, cost_pico, usage_source,
         outcome, http_status, latency_ms, first_byte_ms)
       VALUES ($1, $2, $3, $4, $5, $5, 'default', 'm', 'v', 'main', 'east', 'm', 'openai-chat', false, 1, '1', '1', 5,
         'upstream', 'completed', 200, 1, 1)`,
      [event.digested, number, event.occurredAt, bookedAt, event.accountId],
    );
}

/** A batch of one request that is written and does not end before it is told how. */
async function startBatch(requestId: string) {
  const end = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const done = withBatch(environment.database, ({ append, manager }) =>
    append([usage(requestId)], async (booked) => {
      await writeUsage(manager, booked);
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
    const known: unknown[] = await manager.query('SELECT FROM billing.usage WHERE request_id = $1', [
      requestId,
    ]);
    return append(known.length > 0 ? [] : [usage(requestId)], async (booked) => {
      times.written += 1;
      await writeUsage(manager, booked);
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
  query(
    `SELECT number::int, u.request_id FROM billing.usage u JOIN billing.ledger_transaction USING (number) ORDER BY number`,
  );

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
    const { digested: digest, ...second } = usage('aa');
    const [appended] = await append([{ ...second, digest }]);
    return { before, second: appended?.number };
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

const EVENTS = 600;
const PER_BATCH = 12;
const REPLICAS = 3;
const KILLS = 3;
/** Each process takes seconds to start on a machine that has other work as well. */
const LONG_MS = 120_000;
const REPLICA = join(import.meta.dirname, '../../testing/posting-replica.ts');

/** Kills a process that posts in the middle of what it does, again and again, and starts another one with what is left. */
async function postBeingKilled(work: Work, kills: { left: number }): Promise<void> {
  let { batches } = work;
  while (batches.length > 0) {
    const replica = fork(REPLICA, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const ended = once(replica, 'exit');
    replica.send({ ...work, batches });
    let done = 0;
    const dies = kills.left > 0 ? Math.ceil(Math.random() * 8) : Infinity;
    replica.on('message', () => {
      done += 1;
      // It is in the middle of the next one.
      if (done === dies && (kills.left -= 1) >= 0)
        setTimeout(() => replica.kill('SIGKILL'), Math.random() * 20);
    });
    const [code, signal] = (await ended) as [number | null, string | null];
    if (code !== 0 && signal !== 'SIGKILL') throw new Error(`a replica ended with ${code ?? signal}`);
    batches = batches.slice(done);
  }
}

test(
  'three replicas that are killed at random post each event once, under numbers without gaps',
  async () => {
    const { accountId } = environment.first;
    const keys = await Promise.all([1, 2, 3].map(() => addKey(environment.database, { accountId })));
    const kills = { left: KILLS };
    await Promise.all(
      Array.from({ length: REPLICAS }, (_, replica) => {
        // Each has a third of its own, and half of the next one's.
        const begins = Array.from({ length: EVENTS / 2 / PER_BATCH }, (__, batch) => batch * PER_BATCH);
        return postBeingKilled(
          {
            databaseUrl: environment.databaseUrl,
            accountId,
            keyIds: keys.map(({ id }) => id),
            batches: begins.map((begin) =>
              Array.from(
                { length: PER_BATCH },
                (__, index) => ((replica * EVENTS) / REPLICAS + begin + index) % EVENTS,
              ),
            ),
          },
          kills,
        );
      }),
    );
    expect(kills.left).toBeLessThanOrEqual(0);
    // The books go on behind what was cut off.
    await postUsage(environment.database, accountId, 7);
    const audited = await auditRange(environment.database, 0, EVENTS + 1);
    expect(audited).toMatchObject({ imbalancePico: 0n, differences: [] });
    expect(await auditAllSums(environment.database)).toEqual([]);
    expect(
      await query(`SELECT last_number::int, (SELECT count(*)::int FROM billing.usage) AS rows,
      (SELECT sum(numbers)::int FROM billing.ledger_transaction) AS numbers,
      (SELECT -balance_pico::int FROM billing.account_balance) AS spent FROM billing.journal`),
    ).toEqual([
      {
        last_number: EVENTS + 1,
        rows: EVENTS + 1,
        numbers: EVENTS + 1,
        spent: (EVENTS * (EVENTS + 1)) / 2 + 7,
      },
    ]);
  },
  LONG_MS,
);
