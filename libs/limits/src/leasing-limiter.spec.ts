import { startRedis } from '@tollgate/harness';
import { testRedis, type TestRedis } from '../testing/clients.ts';
import { LEASE } from './lease.ts';
import { createLeasingLimiter, type LeasingLimiter } from './leasing-limiter.ts';
import { createRedisLimiter, type RedisLimiter } from './redis-limiter.ts';
import type { Charge, SlotCharge, TokenBucketCharge } from './token-bucket.ts';

let redis: TestRedis;
let shared: RedisLimiter;
let limiter: LeasingLimiter;
let clock = 1_000_000;
let calls = 0;
beforeAll(async () => {
  redis = testRedis(await startRedis());
  shared = createRedisLimiter(await redis.connect(), { now: () => clock });
});
afterAll(() => redis.stop());
beforeEach(async () => {
  await redis.flush();
  calls = 0;
  const counted: RedisLimiter = {
    ...shared,
    admit: (...given) => ((calls += 1), shared.admit(...given)),
    take: (...given) => ((calls += 1), shared.take(...given)),
    settle: (...given) => ((calls += 1), shared.settle(...given)),
    admitOnCredit: (...given) => ((calls += 1), shared.admitOnCredit(...given)),
  };
  limiter = createLeasingLimiter(counted, { now: () => clock, timers: false });
});

const wide = (changes: Partial<TokenBucketCharge> = {}): TokenBucketCharge => ({
  key: 'wide',
  dimension: 'key',
  unit: 'requests',
  capacity: 60_000,
  refillPerMinute: 60_000,
  cost: 1,
  ...changes,
});
const place: SlotCharge = { key: 'places', dimension: 'key', unit: 'concurrent', capacity: 900, slot: 'a' };
const inRedis = async (of = wide()) => (await shared.admit([{ ...of, cost: 0 }])).buckets[0]?.remaining;
/** A thousand requests a second. */
async function press(requests: number, charges: readonly Charge[]): Promise<number> {
  let admitted = 0;
  for (let n = 0; n < requests; n += 1) {
    clock += 1;
    admitted += (await limiter.admit(charges)).admitted ? 1 : 0;
  }
  return admitted;
}

test('most requests on a busy bucket ask nobody, and every one is counted', async () => {
  expect(await press(2_000, [wide()])).toBe(2_000);
  expect(calls).toBeLessThan(60);
  await limiter.close();
  // A thousand a second is what refills, too.
  expect(await inRedis()).toBeGreaterThanOrEqual(60_000 - 2 * LEASE.share * 60_000);
  clock += 60_000;
});

test('what all buckets of a request cover is taken from all of them', async () => {
  const both = [
    wide(),
    wide({ key: 'tokens', unit: 'tokens', capacity: 6_000_000, refillPerMinute: 6_000_000, cost: 50 }),
  ];
  await press(500, both);
  expect(calls).toBeLessThan(40);
  const { buckets } = await limiter.admit(both);
  expect(buckets.map(({ unit }) => unit)).toEqual(['requests', 'tokens']);
  expect(buckets[0]?.remaining).toBeGreaterThan(59_000);
});

test.each<[string, Charge[]]>([
  ['a bucket that is not large', [wide(), wide({ key: 'small', capacity: 5_999, refillPerMinute: 5_999 })]],
  ['requests at once', [wide(), place]],
])('a request with %s asks Redis every time, and nothing is leased for it', async (_name, charges) => {
  await press(
    100,
    charges.map((each) => (each === place ? { ...place, capacity: 1_000_000 } : each)),
  );
  expect(calls).toBe(100);
});

test('a request that is dear beside the bucket is not worth a lease', async () => {
  await press(200, [wide({ unit: 'tokens', capacity: 100_000, refillPerMinute: 100_000, cost: 400 })]);
  expect(calls).toBe(200);
});

test('a slow bucket is not leased, however large', async () => {
  for (let n = 0; n < 50; n += 1) {
    clock += 100;
    await limiter.admit([wide()]);
  }
  expect(calls).toBe(50);
});

test('what is not used in time is given back', async () => {
  await press(300, [wide()]);
  const before = (await inRedis()) ?? 0;
  const lapsing = 60_000 - before;
  clock += LEASE.ttlMs;
  await limiter.poll();
  const refilled = Math.min(60_000, before + (LEASE.ttlMs * 60_000) / 60_000);
  expect(lapsing).toBeGreaterThan(0);
  expect(await inRedis()).toBe(Math.min(60_000, Math.max(refilled, before + 1)));
  const callsBefore = calls;
  await limiter.admit([wide()]);
  expect(calls).toBe(callsBefore + 1);
});

test('a gateway gives everything back when it ends', async () => {
  const slow = wide({ refillPerMinute: 0.001 });
  await press(300, [slow]);
  expect(await inRedis(slow)).toBeLessThan(60_000 - 300);
  await limiter.close();
  expect(await inRedis(slow)).toBe(60_000 - 300);
});

test('corrections of a leased bucket are gathered, and none is lost', async () => {
  const slow = wide({ refillPerMinute: 0.001 });
  await press(300, [slow]);
  const { key, capacity, refillPerMinute } = slow;
  const before = calls;
  for (let n = 0; n < 100; n += 1) await limiter.settle([{ key, capacity, refillPerMinute, delta: 7 }]);
  expect(calls).toBe(before);
  await limiter.close();
  expect(await inRedis(slow)).toBe(60_000 - 300 - 700);
});

test('an empty bucket refuses, and is not leased below nothing', async () => {
  const slow = wide({ capacity: 6_000, refillPerMinute: 0.001 });
  expect(await press(7_000, [slow])).toBe(6_000);
  expect(await limiter.admit([slow])).toMatchObject({ admitted: false, dimension: 'key', limit: 6_000 });
  expect(await inRedis(slow)).toBe(0);
});

test('a request with a hold uses what is leased and asks Redis about the credit alone', async () => {
  await press(300, [wide()]);
  const before = await inRedis();
  const hold = { requestId: 'r', accountId: 'a', keyId: 'k', scopes: ['account:none'], amount: 5 };
  const refused = await limiter.admitOnCredit([wide()], hold);
  expect(refused).toMatchObject({ admitted: false, credit: 'unknown', scopes: ['account:none'] });
  expect(refused.buckets).toHaveLength(1);
  expect(await inRedis()).toBe(before);
});
