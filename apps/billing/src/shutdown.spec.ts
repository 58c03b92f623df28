import { USAGE_QUEUE } from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { Queue } from 'bullmq';
import type { QueryRunner } from 'typeorm';
import { type Pair, startBillingOn, startPair } from '../testing/billing-service.ts';
import { signIn } from '../testing/people.ts';
import { openRedis } from '../testing/test-environment.ts';
import { usageEvent } from '../testing/usage-events.ts';

// Whoever holds the ledger's table holds up a batch that is posted and a request that reads it: both are in hand when
// billing is told to end.
let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
});
afterAll(() => pair.stop());

const connections = async (): Promise<number> => {
  const [row]: { count: number }[] = await pair.environment.database.query(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'tollgate-billing'
       AND usename <> current_user`,
  );
  return row?.count ?? 0;
};
const waitsForLock = async (): Promise<number> => {
  const [row]: { count: number }[] = await pair.environment.database.query(
    'SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())',
  );
  return row?.count ?? 0;
};

async function lockLedger(): Promise<QueryRunner> {
  const runner = pair.environment.database.createQueryRunner();
  await runner.startTransaction();
  await runner.query('LOCK TABLE billing.ledger_transaction IN ACCESS EXCLUSIVE MODE');
  return runner;
}

test('where a later part cannot start, the parts before it end', async () => {
  const before = await connections();
  const { port } = new URL(pair.billing.url);
  await expect(startBillingOn(pair.environment, { PORT: port })).rejects.toThrow('EADDRINUSE');
  await waitFor(async () => (await connections()) <= before, 'no connection more than before');
});

test('what is in hand when billing ends is finished: a request that is answered, a batch that is posted', async () => {
  const { billing, environment } = pair;
  const cookie = await signIn(billing.url, 'owner@billing.example');
  const connection = await openRedis(environment.redisServer.url);
  const queue = new Queue(USAGE_QUEUE, { connection });
  const lock = await lockLedger();
  const event = usageEvent({ account_id: environment.first.accountId, model: 'sim-chat' });
  await queue.add('batch', { events: [event] }, { attempts: 1, removeOnComplete: true });
  const answer = fetch(`${billing.url}/api/ledger/transactions?account_id=all`, { headers: { cookie } });
  await waitFor(async () => (await waitsForLock()) >= 2, 'both to wait for the ledger');

  let hasEnded = false;
  const stopped = billing.stop().then(() => (hasEnded = true));
  await waitFor(
    () =>
      fetch(`${billing.url}/healthz`).then(
        () => false,
        () => true,
      ),
    'no new connection',
  );
  expect(hasEnded).toBe(false);
  await lock.commitTransaction();
  await lock.release();

  expect((await answer).status).toBe(200);
  await stopped;
  await waitFor(async () => (await connections()) === 0, 'its connections to be gone');
  const posted: unknown[] = await environment.database.query(
    'SELECT FROM billing.usage WHERE request_id = $1',
    [event.request_id],
  );
  expect(posted).toHaveLength(1);
  expect(await queue.getJobCountByTypes('waiting', 'active', 'delayed', 'failed')).toBe(0);
  await queue.close();
  connection.disconnect();
});
