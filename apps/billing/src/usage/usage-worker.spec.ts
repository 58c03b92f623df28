import { USAGE_QUEUE } from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { Queue } from 'bullmq';
import { type Pair, startPair } from '../../testing/billing-service.ts';
import { openRedis } from '../../testing/ground.ts';
import { call, signIn } from '../../testing/people.ts';
import { usageEvent } from '../../testing/usage-events.ts';

let pair: Pair;
let queue: Queue;
let close: () => Promise<void>;
beforeAll(async () => {
  pair = await startPair();
  const connection = await openRedis(pair.ground.redisServer.url);
  queue = new Queue(USAGE_QUEUE, { connection });
  close = async () => {
    await queue.close();
    connection.disconnect();
  };
});
afterAll(async () => {
  await close();
  await pair.stop();
});

const RETRY = { attempts: 1_000, backoff: { type: 'fixed', delay: 100 }, removeOnComplete: true };
const enqueue = (data: unknown) => queue.add('batch', data, RETRY);
const one = <T>(sql: string, ...values: unknown[]): Promise<T | undefined> =>
  pair.ground.database.query(sql, values).then((rows: T[]) => rows[0]);
const usageOf = (requestId: string) =>
  one('SELECT cost_pico::text AS cost, snapshot_version FROM billing.usage WHERE request_id = $1', requestId);
const rejectionOf = (requestId: string) =>
  one('SELECT reason FROM billing.usage_rejected WHERE request_id = $1', requestId);
const event = (request_id: string, of: object = {}) =>
  usageEvent({ request_id, account_id: pair.ground.first.accountId, model: 'sim-chat', ...of });

test('a job becomes usage rows at the prices of the version that its events name', async () => {
  await enqueue({
    events: [
      event('req_worker_1', { tokens: { input: 1_000, cache_read: 10, output: 100 } }),
      event('req_worker_2', { group: 'vip', tokens: { input: 1_000 } }),
    ],
  });
  await waitFor(() => usageOf('req_worker_2'), 'the usage row');
  expect(await usageOf('req_worker_1')).toEqual({ cost: '3512500000', snapshot_version: 1 });
  expect(await usageOf('req_worker_2')).toEqual({ cost: '2000000000', snapshot_version: 1 });
});

test('a job that comes twice is posted once', async () => {
  const { accountId } = pair.ground.first;
  const balance = async () =>
    (
      await one<{ sum: string }>(
        'SELECT coalesce(sum(amount_pico), 0)::text AS sum FROM billing.ledger_entry WHERE ledger_account = $1',
        `customer:${accountId}`,
      )
    )?.sum;
  const before = BigInt((await balance()) ?? '0');
  const batch = { events: [event('req_worker_twice', { tokens: { input: 2 } })] };
  await enqueue(batch);
  await enqueue(batch);
  await enqueue({ events: [event('req_worker_after', { tokens: {} })] });
  await waitFor(() => usageOf('req_worker_after'), 'the usage row');
  await waitFor(
    async () => (await queue.getJobCountByTypes('waiting', 'active', 'delayed')) === 0,
    'an empty queue',
  );
  expect(BigInt((await balance()) ?? '0')).toBe(before - 5_000_000n);
});

test('an event of an unknown model is rejected and kept, the others of its job are posted', async () => {
  await enqueue({ events: [event('req_no_model', { model: 'gone' }), event('req_beside_it')] });
  await waitFor(() => usageOf('req_beside_it'), 'the usage row');
  expect(await rejectionOf('req_no_model')).toEqual({ reason: 'version 1 has no model "gone"' });
  expect(await usageOf('req_no_model')).toBeUndefined();
});

test('what is no event is kept with the reason', async () => {
  const broken = { ...event('req_broken'), tokens: { input: -1 } };
  await enqueue({ events: [broken, event('req_beside_broken')] });
  await waitFor(() => usageOf('req_beside_broken'), 'the usage row');
  const kept = await one<{ reason: string; event: unknown }>(
    `SELECT reason, event FROM billing.usage_rejected WHERE event->>'request_id' = 'req_broken'`,
  );
  expect(kept?.event).toEqual(broken);
  expect(kept?.reason).toContain('tokens');
});

test('a job without a list of events is kept whole', async () => {
  await enqueue({ nothing: 'of use' });
  const kept = await waitFor(
    () => one<{ reason: string }>(`SELECT reason FROM billing.usage_rejected WHERE event ? 'nothing'`),
    'the rejected job',
  );
  expect(kept.reason).toBe('the job holds no list of events');
});

test('a version that pricing does not know yet is asked for again until it does, then the job is posted', async () => {
  const job = await enqueue({ events: [event('req_early', { snapshot_version: 2, tokens: { input: 4 } })] });
  await waitFor(async () => ((await queue.getJob(job.id ?? ''))?.attemptsMade ?? 0) >= 2, 'two attempts');
  expect(await usageOf('req_early')).toBeUndefined();
  expect(await rejectionOf('req_early')).toBeUndefined();

  const cookie = await signIn(pair.billing.url, pair.ground.first.email);
  const published = await call({ url: pair.pricing.url, cookie }, 'PUT', '/api/catalogue/models/sim-chat', {
    vendor: 'openai',
    prices: { input: 5, output: 10 },
  });
  expect(published).toMatchObject({ status: 200, body: { version: 2 } });
  await waitFor(() => usageOf('req_early'), 'the usage row');
  expect(await usageOf('req_early')).toEqual({ cost: '20', snapshot_version: 2 });
});

test('Prometheus is told how many events were new', async () => {
  const posted = async (): Promise<number> => {
    const text = await (await fetch(`${pair.billing.url}/metrics`)).text();
    return Number(/^tollgate_usage_events_posted_total\{service="billing"\} (\d+)$/m.exec(text)?.[1]);
  };
  const before = await posted();
  const counted = { events: [event('req_counted_1'), event('req_counted_2')] };
  await enqueue(counted);
  await enqueue(counted);
  await enqueue({ events: [event('req_counted_3')] });
  await waitFor(async () => (await posted()) === before + 3, 'the count');
});
