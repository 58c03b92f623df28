import { startRedis } from '@tollgate/harness';
import { testRedis, type TestRedis } from '../testing/clients.ts';
import { GATEWAY_TTL_MS } from './admission-script.ts';
import { createLocalLimiter } from './local-limiter.ts';
import { createRedisLimiter, type RedisLimiter } from './redis-limiter.ts';
import type { RedisClient } from './script.ts';
import { type Charge, rateLimitCharges } from './token-bucket.ts';

let redis: TestRedis;
let client: RedisClient;
let clock = 1_000_000;
let limiter: RedisLimiter;
beforeAll(async () => {
  redis = testRedis(await startRedis());
  client = await redis.connect();
  limiter = createRedisLimiter(client, { now: () => clock });
});
afterAll(() => redis.stop());
beforeEach(() => redis.flush());

const scope = { dimension: 'key', id: 'k' } as const;
const place = (slot: string, max = 3, requests: number | null = null): Charge[] =>
  rateLimitCharges(
    scope,
    { concurrent_requests: max, requests_per_minute: requests },
    { requests: 1, tokens: 0 },
    slot,
  );
const release = (slot: string) => limiter.settle([{ key: 'tollgate:tb:{key:k}:concurrent', slot }]);
const admitted = async (slot: string, max = 3) => (await limiter.admit(place(slot, max))).admitted;

test('as many requests run at once as there are slots, over all connections', async () => {
  const others = [limiter, createRedisLimiter(await redis.connect(), { now: () => clock })];
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => others[n % 2]?.admit(place(`slot-${n}`, 7))),
  );
  expect(answers.filter((answer) => answer?.admitted)).toHaveLength(7);
  expect(answers.find((answer) => !answer?.admitted)).toMatchObject({
    dimension: 'key',
    unit: 'concurrent',
    limit: 7,
    retryAfterMs: 1_000,
    buckets: [{ unit: 'concurrent', limit: 7, remaining: 0, resetMs: 0 }],
  });
});

test('a request that ends gives its slot to the next, once', async () => {
  for (const slot of ['a', 'b', 'c']) expect(await admitted(slot)).toBe(true);
  expect(await admitted('d')).toBe(false);
  await release('a');
  await release('a');
  expect([await admitted('d'), await admitted('e')]).toEqual([true, false]);
});

test('slots and buckets are taken together or not at all', async () => {
  const both = (slot: string) => limiter.admit(place(slot, 2, 10));
  for (const slot of ['a', 'b', 'c', 'd']) await both(slot);
  expect(await both('e')).toMatchObject({ admitted: false, buckets: [{ remaining: 8 }, { remaining: 0 }] });
  await release('a');
  const empty = await limiter.admit([...place('f', 2), { ...place('', 9, 10)[0], cost: 99 } as Charge]);
  expect(empty).toMatchObject({ admitted: false, unit: 'requests' });
  expect((await both('g')).admitted).toBe(true);
});

test('slots of a gateway that died lapse, and those that are renewed do not', async () => {
  for (const slot of ['dead', 'alive', 'alive too']) await admitted(slot);
  for (let beat = 0; beat < 6; beat += 1) {
    clock += GATEWAY_TTL_MS / 4;
    await limiter.renew(
      ['alive', 'alive too'].map((slot) => ({ key: 'tollgate:tb:{key:k}:concurrent', slot })),
    );
  }
  expect([await admitted('next'), await admitted('another')]).toEqual([true, false]);
});

test('a Redis that lost its data learns of the slots again', async () => {
  await admitted('a');
  await redis.flush();
  await limiter.renew([{ key: 'tollgate:tb:{key:k}:concurrent', slot: 'a' }]);
  expect([await admitted('b', 2), await admitted('c', 2)]).toEqual([true, false]);
});

test('more slots than fit into one call are renewed', async () => {
  const slots = Array.from({ length: 450 }, (_, n) => ({ key: 'set', slot: `slot-${n}` }));
  await limiter.renew(slots);
  expect(await client.zcard('set')).toBe(450);
});

test('a set of slots is forgotten when nobody uses it any more', async () => {
  await admitted('a');
  const ttl = await client.pttl('tollgate:tb:{key:k}:concurrent');
  expect(ttl).toBeGreaterThan(GATEWAY_TTL_MS);
  expect(ttl).toBeLessThanOrEqual(2 * GATEWAY_TTL_MS);
});

test('without Redis a process counts its own', async () => {
  const local = createLocalLimiter(() => clock);
  const answers = [];
  for (const slot of ['a', 'b', 'c', 'd']) answers.push((await local.admit(place(slot))).admitted);
  await local.settle([{ key: 'tollgate:tb:{key:k}:concurrent', slot: 'b' }]);
  answers.push((await local.admit(place('e'))).admitted);
  expect(answers).toEqual([true, true, true, false, true]);
});

test('a request without a slot of its own counts in no limit of requests at once', () => {
  expect(rateLimitCharges(scope, { concurrent_requests: 1 }, { requests: 1, tokens: 0 })).toEqual([]);
});
