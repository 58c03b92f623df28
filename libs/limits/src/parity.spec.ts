import { type RunningRedis, startRedis } from '@tollgate/harness';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { createLocalLimiter } from './local-limiter.ts';
import { createRedisLimiter } from './redis-limiter.ts';
import type { TokenBucketCharge } from './token-bucket.ts';

let server: RunningRedis;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url, { replyMapping: 'legacy' });
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** Slow buckets: none is full again, and so gone from Redis, before a run of the property ends. */
const buckets = [
  { key: 'a', dimension: 'key', unit: 'requests', capacity: 100, refillPerMinute: 1 },
  { key: 'b', dimension: 'account', unit: 'tokens', capacity: 70_001, refillPerMinute: 37 },
  { key: 'c', dimension: 'model', unit: 'tokens', capacity: 9, refillPerMinute: 0.7 },
] as const satisfies readonly Omit<TokenBucketCharge, 'cost'>[];

const some = fc.subarray([...buckets], { minLength: 1 });
const operation = fc.oneof(
  fc.record({
    kind: fc.constant('admit' as const),
    of: some,
    share: fc.double({ min: 0, max: 2, noNaN: true }),
  }),
  fc.record({
    kind: fc.constant('settle' as const),
    of: some,
    share: fc.double({ min: -1, max: 1, noNaN: true }),
  }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: -1_000, max: 3_600_000 }) }),
);

test('the local limiter and the script in Redis answer the same to the same operations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 30 }), async (operations) => {
      await redis.flushall();
      let clock = 1_780_000_000_000;
      const local = createLocalLimiter(() => clock);
      const shared = createRedisLimiter(redis, { now: () => clock });
      for (const each of operations) {
        if (each.kind === 'wait') {
          clock += each.ms;
          continue;
        }
        if (each.kind === 'admit') {
          const charges = each.of.map((one) => ({ ...one, cost: Math.round(each.share * one.capacity) }));
          expect(await shared.admit(charges)).toEqual(await local.admit(charges));
          continue;
        }
        const corrections = each.of.map((one) => ({ ...one, delta: Math.round(each.share * one.capacity) }));
        await Promise.all([shared.settle(corrections), local.settle(corrections)]);
      }
    }),
    { numRuns: 150 },
  );
});
