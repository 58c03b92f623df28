import { toUsageQueue, USAGE_QUEUE } from '@tollgate/contracts';
import { startTcpProxy, waitFor } from '@tollgate/harness';
import { connectRedisForWorker, createLogger } from '@tollgate/platform';
import { Queue } from 'bullmq';
import { type Pair, startPair } from '../../testing/billing-service.ts';
import { openRedis } from '../../testing/test-environment.ts';
import { call, signIn } from '../../testing/people.ts';
import { usageEvent } from '../../testing/usage-events.ts';
import { startUsageWorkers } from './usage-worker.ts';

let pair: Pair;
let queue: Queue;
let close: () => Promise<void>;
beforeAll(async () => {
  pair = await startPair();
  const connection = await openRedis(pair.environment.redisServer.url);
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
  pair.environment.database.query(sql, values).then((rows: T[]) => rows[0]);
const usageOf = (requestId: string) =>
  one('SELECT cost_pico::text AS cost, snapshot_version FROM billing.usage WHERE request_id = $1', requestId);
const rejectionOf = (requestId: string) =>
  one('SELECT reason FROM billing.usage_rejected WHERE request_id = $1', requestId);
const event = (request_id: string, of: object = {}) =>
  usageEvent({ request_id, account_id: pair.environment.first.accountId, model: 'sim-chat', ...of });

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

test('jobs of a shard that a gateway begins to write to are posted, and counted as long as they wait', async () => {
  const connection = await openRedis(pair.environment.redisServer.url);
  const shard = new Queue(toUsageQueue(5), { connection });
  await shard.add('batch', { events: [event('req_of_a_shard')] }, RETRY);
  await shard.add('later', { events: [] }, { ...RETRY, delay: 3_600_000 });
  await waitFor(() => usageOf('req_of_a_shard'), 'the usage row');
  const metrics = await (await fetch(`${pair.billing.url}/metrics`)).text();
  expect(metrics).toMatch(/^tollgate_usage_queue_jobs\{state="delayed",service="billing"\} 1$/m);
  await shard.obliterate({ force: true });
  await shard.close();
  connection.disconnect();
});

test('an event of a gateway from before there were lines is posted', async () => {
  const { lines, ...rest } = event('req_worker_v1');
  await enqueue({ events: [{ ...rest, v: 1, tokens: { input: 1_000, output: 2 } }] });
  await waitFor(() => usageOf('req_worker_v1'), 'the usage row');
  expect(lines).toHaveLength(1);
  expect(await usageOf('req_worker_v1')).toEqual({ cost: '2520000000', snapshot_version: 1 });
});

test('what was reported to a gateway from before there were lines, beyond its bound, is set aside', async () => {
  const { lines: _, ...rest } = event('req_worker_v1_beyond');
  const reported_tokens = { input: 1_000, output: 900 };
  const bound = { input: 1_000, output: 2, text_only: true };
  await enqueue({ events: [{ ...rest, v: 1, tokens: { input: 1_000, output: 2 }, reported_tokens, bound }] });
  await waitFor(() => usageOf('req_worker_v1_beyond'), 'the usage row');
  expect(await usageOf('req_worker_v1_beyond')).toEqual({ cost: '2520000000', snapshot_version: 1 });
  expect(
    await one(
      `SELECT event -> 'reported_lines' AS lines FROM billing.usage_review WHERE request_id = $1`,
      'req_worker_v1_beyond',
    ),
  ).toEqual({ lines: [{ model: 'sim-chat', counts: reported_tokens }] });
});

test('a job that comes twice is posted once', async () => {
  const { accountId } = pair.environment.first;
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

test('that Redis is away is said once, and once again when it is away again', async () => {
  const said: string[] = [];
  const logger = createLogger('test', 'warn', { write: (line) => void said.push(line) });
  const { port } = new URL(pair.environment.redisServer.url);
  const proxy = await startTcpProxy({ port: Number(port) });
  const redis = connectRedisForWorker(`redis://127.0.0.1:${proxy.port}`, logger);
  const books = { post: () => Promise.resolve(), retry: () => Promise.resolve([]) };
  const workers = startUsageWorkers({ redis, books, logger, concurrency: 1 });
  const count = (event: string) => said.filter((line) => line.includes(`"${event}"`)).length;
  const tries = async (wanted: number) => {
    let tried = 0;
    const note = () => void tried++;
    redis.on('reconnecting', note);
    await waitFor(() => tried >= wanted, 'tries to connect');
    redis.off('reconnecting', note);
  };
  await waitFor(() => redis.status === 'ready', 'the connection');
  for (const times of [1, 2]) {
    proxy.cut();
    await waitFor(() => count('usage_queue_error') === times, 'the words of the loss');
    await tries(3);
    expect([count('redis_lost'), count('usage_queue_error')]).toEqual([times, times]);
    proxy.restore();
    await waitFor(() => redis.status === 'ready', 'the return');
  }
  await workers.close();
  redis.disconnect();
  await proxy.stop();
});

test('an event of an unknown model is rejected and kept, the others of its job are posted', async () => {
  await enqueue({ events: [event('req_no_model', { model: 'gone' }), event('req_beside_it')] });
  await waitFor(() => usageOf('req_beside_it'), 'the usage row');
  expect(await rejectionOf('req_no_model')).toEqual({ reason: 'version 1 has no model "gone"' });
  expect(await usageOf('req_no_model')).toBeUndefined();
});

test('what is no event is kept with the reason', async () => {
  const broken = event('req_broken', { tokens: { input: -1 } });
  await enqueue({ events: [broken, event('req_beside_broken')] });
  await waitFor(() => usageOf('req_beside_broken'), 'the usage row');
  const kept = await one<{ reason: string; event: unknown }>(
    `SELECT reason, event FROM billing.usage_rejected WHERE event->>'request_id' = 'req_broken'`,
  );
  expect(kept?.event).toEqual(broken);
  expect(kept?.reason).toContain('counts');
});

test('a job without a list of events is kept whole', async () => {
  await enqueue({ nothing: 'of use' });
  const kept = await waitFor(
    () => one<{ reason: string }>(`SELECT reason FROM billing.usage_rejected WHERE event ? 'nothing'`),
    'the rejected job',
  );
  expect(kept.reason).toBe('the job holds no list of events');
});

const stateOf = (requestId: string) =>
  one('SELECT state FROM billing.usage_rejected WHERE request_id = $1', requestId);

test('a version that pricing does not know yet holds up no other event, and is posted once pricing does', async () => {
  await enqueue({
    events: [
      event('req_early', { snapshot_version: 2, tokens: { input: 4 } }),
      event('req_higher_than_any', { snapshot_version: 2 ** 31 }),
      event('req_beside_early'),
    ],
  });
  await waitFor(() => usageOf('req_beside_early'), 'the usage row beside it');
  for (const waiting of ['req_early', 'req_higher_than_any']) {
    expect(await usageOf(waiting)).toBeUndefined();
    expect(await stateOf(waiting)).toEqual({ state: 'waiting' });
  }
  const cookie = await signIn(pair.billing.url, pair.environment.first.email);
  const published = await call({ url: pair.pricing.url, cookie }, 'PUT', '/api/catalogue/models/sim-chat', {
    vendor: 'openai',
    prices: { input: 5, output: 10 },
  });
  expect(published).toMatchObject({ status: 200, body: { version: 2 } });
  await waitFor(() => usageOf('req_early'), 'the usage row', 60_000);
  expect(await usageOf('req_early')).toEqual({ cost: '20', snapshot_version: 2 });
  await waitFor(async () => (await stateOf('req_early')) === undefined, 'it to be kept no longer');
  expect(await stateOf('req_higher_than_any')).toEqual({ state: 'waiting' });
});

test.each<[string, object]>([
  ['a field more', { something_new: 1 }],
  ['another version of the form', { v: 3, lines: 'counted in another way' }],
  ['a protocol more', { protocol: 'newer-protocol' }],
  ['a kind of token more', { lines: [{ model: 'sim-chat', counts: { input: 1, smell: 2 } }] }],
])(
  'an event of a later release (%s) waits for it, and is posted by itself once it is known',
  async (what, of) => {
    const id = `req_later_${what.length}`;
    await enqueue({ events: [event(`${id}_beside`), { ...event(id), ...of }] });
    await waitFor(() => usageOf(`${id}_beside`), 'the usage row beside it');
    expect(await stateOf(id)).toEqual({ state: 'waiting' });
    // In place of an upgrade, which would make the same difference.
    await pair.environment.database.query(
      'UPDATE billing.usage_rejected SET event = $2 WHERE request_id = $1',
      [id, JSON.stringify(event(id))],
    );
    await waitFor(() => usageOf(id), 'the usage row', 60_000);
    await waitFor(async () => (await stateOf(id)) === undefined, 'it to be kept no longer');
  },
);

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
