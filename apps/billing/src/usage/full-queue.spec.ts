// Billing is away while a small Redis fills with usage; then it is back, and nobody gives Redis more memory.
import { toUsageQueue } from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { Queue } from 'bullmq';
import { type Pair, type RunningBilling, startBillingOn, startPair } from '../../testing/billing-service.ts';
import { openRedis } from '../../testing/test-environment.ts';
import { usageEvent } from '../../testing/usage-events.ts';

let pair: Pair;
let billing: RunningBilling;
let redis: Awaited<ReturnType<typeof openRedis>>;
let queue: Queue;
let shard: Queue;
beforeAll(async () => {
  pair = await startPair();
  redis = await openRedis(pair.environment.redisServer.url);
  queue = new Queue(toUsageQueue(0), { connection: redis });
  shard = new Queue(toUsageQueue(3), { connection: redis });
});
afterAll(async () => {
  await Promise.all([queue, shard].map((each) => each.close()));
  redis.disconnect();
  await billing.stop();
  await pair.pricing.stop();
  await pair.environment.stop();
});

const eventsOf = (job: number) =>
  Array.from({ length: 20 }, (_, n) =>
    usageEvent({
      request_id: `req_full_${job}_${n}`,
      account_id: pair.environment.first.accountId,
      model: 'sim-chat',
      tokens: { input: 1_000 },
    }),
  );
const isFull = () =>
  redis.set('probe', '1').then(
    () => false,
    () => true,
  );
const booked = async (): Promise<{ rows: number; requests: number }> => {
  const [row] = await pair.environment.database.query(
    `SELECT count(*)::int AS rows, count(DISTINCT request_id)::int AS requests FROM billing.usage
     WHERE request_id LIKE 'req_full_%'`,
  );
  return row;
};

test('what fills a Redis while billing is away is booked once, and Redis can be used again', async () => {
  await pair.billing.stop();
  const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
  await redis.config('SET', 'maxmemory', String(used + 2_000_000));
  let jobs = 0;
  const RETRY = { attempts: 1_000, backoff: { type: 'fixed', delay: 100 }, removeOnComplete: true };
  for (let full = false; !full; jobs += 1)
    full = await (jobs % 3 ? queue : shard)
      .add('usage', { events: eventsOf(jobs) }, { ...RETRY, jobId: `full-${jobs}` })
      .then(
        () => false,
        ({ message }: Error) => message.includes('OOM'),
      );
  const events = 20 * (jobs - 1);
  expect(events).toBeGreaterThan(200);
  // What cannot leave takes the rest, up to the last byte that Redis gives.
  for (let n = 0; !(await isFull()); n += 1) await redis.append('filler', 'x'.repeat(1_000)).catch(() => {});
  expect(await isFull()).toBe(true);

  const { config } = pair.billing;
  billing = await startBillingOn(pair.environment, {
    TCP_PORT: String(config.TCP_PORT),
    PRICING_TCP_URL: config.PRICING_TCP_URL,
  });
  await waitFor(async () => (await booked()).rows === events, 'the books', 60_000);
  expect(await booked()).toEqual({ rows: events, requests: events });
  await waitFor(async () => !(await isFull()), 'memory');
  for (const each of [queue, shard])
    expect(await each.getJobCountByTypes('waiting', 'active', 'delayed', 'prioritized')).toBe(0);

  await queue.add('usage', { events: eventsOf(100_000) }, RETRY);
  await waitFor(async () => (await booked()).rows === events + 20, 'the worker');
  const metrics = () => fetch(`${billing.url}/metrics`).then((answer) => answer.text());
  await waitFor(
    async () => /^tollgate_redis_full\{service="billing"\} 0$/m.test(await metrics()),
    'the alarm to end',
  );
  expect(await metrics()).toMatch(
    /^tollgate_redis_memory_used_ratio\{node="127.0.0.1:\d+",service="billing"\} 0\.\d+$/m,
  );
  expect(await metrics()).toMatch(/^tollgate_usage_jobs_past_queue_total\{service="billing"\} [1-9]/m);
}, 120_000);
