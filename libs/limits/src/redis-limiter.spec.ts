import { type RunningRedis, startRedis } from '@tollgate/harness';
import { Redis } from 'ioredis';
import { createRedisLimiter } from './redis-limiter.ts';
import type { Limiter, TokenBucketCharge } from './token-bucket.ts';

let server: RunningRedis;
let redis: Redis;
let other: Redis;
let clock = 1_000_000;
let limiter: Limiter;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url, { replyMapping: 'legacy' });
  other = new Redis(server.url, { replyMapping: 'legacy' });
  limiter = createRedisLimiter(redis, { now: () => clock });
});

afterAll(async () => {
  redis.disconnect();
  other.disconnect();
  await server.stop();
});

beforeEach(() => redis.flushall());

const charge = (changes: Partial<TokenBucketCharge> = {}): TokenBucketCharge => ({
  key: 'tollgate:tb:key:a:requests',
  dimension: 'key',
  unit: 'requests',
  capacity: 50,
  refillPerMinute: 50,
  cost: 1,
  ...changes,
});
const remaining = async (one: TokenBucketCharge) =>
  (await limiter.admit([{ ...one, cost: 0 }])).buckets[0]?.remaining;

test('of 200 requests at once over two connections, a bucket of 50 admits exactly 50', async () => {
  const limiters = [
    createRedisLimiter(redis, { now: () => clock }),
    createRedisLimiter(other, { now: () => clock }),
  ];
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => limiters[index % 2]?.admit([charge()])),
  );
  expect(answers.filter((answer) => answer?.admitted)).toHaveLength(50);
});

test('several buckets are all charged or none', async () => {
  const wide = charge();
  const narrow = charge({
    key: 'tollgate:tb:group:g:tokens',
    dimension: 'group',
    unit: 'tokens',
    capacity: 3,
  });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      createRedisLimiter(index % 2 ? redis : other, { now: () => clock }).admit([wide, narrow]),
    ),
  );
  expect(answers.filter(({ admitted }) => admitted)).toHaveLength(3);
  expect([await remaining(wide), await remaining(narrow)]).toEqual([47, 0]);
  expect(answers.find(({ admitted }) => !admitted)).toMatchObject({
    dimension: 'group',
    unit: 'tokens',
    limit: 3,
  });
});

test('a bucket refills evenly with the clock and never above its capacity', async () => {
  const minutely = charge({ capacity: 60, refillPerMinute: 60, cost: 60 });
  expect((await limiter.admit([minutely])).admitted).toBe(true);
  const levels: unknown[] = [];
  for (const ms of [500, 500, 1_000, 28_000, 29_750, 250, 600_000]) {
    clock += ms;
    levels.push(await remaining(minutely));
  }
  expect(levels).toEqual([0, 1, 2, 30, 59, 60, 60]);
});

test('the time to wait that a refusal names is enough', async () => {
  await limiter.admit([charge({ cost: 50 })]);
  const refusal = await limiter.admit([charge({ cost: 7 })]);
  if (refusal.admitted) throw new Error('an empty bucket admitted');
  clock += refusal.retryAfterMs - 1;
  expect((await limiter.admit([charge({ cost: 7 })])).admitted).toBe(false);
  clock += 1;
  expect((await limiter.admit([charge({ cost: 7 })])).admitted).toBe(true);
});

test('a clock that goes back takes nothing away and gives nothing', async () => {
  await limiter.admit([charge({ cost: 10 })]);
  clock -= 60_000;
  expect(await remaining(charge())).toBe(40);
});

test('a charge above the capacity is taken from a full bucket and paid off as a debt', async () => {
  const huge = charge({ cost: 100 });
  expect(await limiter.admit([huge])).toMatchObject({ admitted: true, buckets: [{ remaining: -50 }] });
  expect(await limiter.admit([charge({ cost: 0 })])).toMatchObject({ admitted: false, retryAfterMs: 60_000 });
  clock += 60_000;
  expect(await limiter.admit([charge({ cost: 0 })])).toMatchObject({ admitted: true });
  expect((await limiter.admit([huge])).admitted).toBe(false);
  clock += 60_000;
  expect((await limiter.admit([huge])).admitted).toBe(true);
});

describe('settle', () => {
  const { key, capacity, refillPerMinute } = charge();
  const settle = (delta: number) => limiter.settle([{ key, capacity, refillPerMinute, delta }]);

  test('takes what a request cost beyond its charge, into debt if need be', async () => {
    await limiter.admit([charge({ cost: 10 })]);
    await settle(15);
    expect(await remaining(charge())).toBe(25);
    await settle(125);
    expect(await limiter.admit([charge({ cost: 0 })])).toMatchObject({
      admitted: false,
      buckets: [{ remaining: -100 }],
    });
  });

  test('gives back what a request did not use, never above the capacity', async () => {
    await limiter.admit([charge({ cost: 40 })]);
    await settle(-15);
    expect(await remaining(charge())).toBe(25);
    await settle(-1_000);
    expect(await remaining(charge())).toBe(50);
  });

  test('charges a bucket that has expired since', async () => {
    await settle(20);
    expect(await remaining(charge())).toBe(30);
  });

  test('asks nobody about an empty list', async () => {
    await limiter.settle([]);
    expect(await limiter.admit([])).toEqual({ admitted: true, buckets: [] });
    expect(await redis.dbsize()).toBe(0);
  });
});

test('a refusal writes nothing', async () => {
  await limiter.admit([charge({ cost: 50 })]);
  const before = await redis.get(charge().key);
  clock += 100;
  await limiter.admit([charge({ cost: 50 })]);
  expect(await redis.get(charge().key)).toBe(before);
});

test('a bucket expires once it would be full again', async () => {
  await limiter.admit([charge({ cost: 25 })]);
  const ttl = await redis.pttl(charge().key);
  expect(ttl).toBeGreaterThan(20_000);
  expect(ttl).toBeLessThanOrEqual(31_000);
  await limiter.admit([charge({ key: 'brief', capacity: 60_000, refillPerMinute: 60_000 })]);
  expect(await redis.pttl('brief')).toBeLessThanOrEqual(1_001);
});

test('loads its script again after Redis has forgotten it', async () => {
  await limiter.admit([charge()]);
  await redis.script('FLUSH');
  expect(await limiter.admit([charge()])).toMatchObject({ admitted: true, buckets: [{ remaining: 48 }] });
});

test("without a clock of its own it counts by the server's", async () => {
  const shared = createRedisLimiter(redis);
  await shared.admit([charge({ capacity: 600_000, refillPerMinute: 600_000, cost: 600_000 })]);
  const [seconds] = await redis.time();
  const written = Number((await redis.get(charge().key))?.split(':')[1]);
  expect(Math.abs(written - Number(seconds) * 1_000)).toBeLessThan(5_000);
});

test('what is wrong with Redis is thrown, for the caller to fall back', async () => {
  await redis.set('text', 'no bucket');
  await expect(limiter.admit([charge({ key: 'text' })])).rejects.toThrow();
});
