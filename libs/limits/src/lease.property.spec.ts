import { startRedis } from '@tollgate/harness';
import fc from 'fast-check';
import { testRedis, type TestRedis } from '../testing/clients.ts';
import { LEASE } from './lease.ts';
import { createLeasingLimiter, type LeasingLimiter } from './leasing-limiter.ts';
import { createLocalLimiter } from './local-limiter.ts';
import { createRedisLimiter } from './redis-limiter.ts';
import type { RedisClient } from './script.ts';
import type { TokenBucketCharge } from './token-bucket.ts';

let redis: TestRedis;
let client: RedisClient;
beforeAll(async () => {
  redis = testRedis(await startRedis());
  client = await redis.connect();
});
afterAll(() => redis.stop());

const GATEWAYS = 3;
/** As often a gateway gives back what has lapsed. */
const POLL_MS = 100;
const bucket = (capacity: number, cost: number): TokenBucketCharge => ({
  key: 'leased',
  dimension: 'key',
  unit: 'tokens',
  capacity,
  refillPerMinute: capacity,
  cost,
});

const gateway = fc.integer({ min: 0, max: GATEWAYS - 1 });
const event = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      what: fc.constant('ask' as const),
      gateway,
      times: fc.integer({ min: 1, max: 30 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ what: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 120 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('wait' as const), ms: fc.integer({ min: 500, max: 5_000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('die' as const), gateway }) },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('burst' as const),
      gateway,
      after: fc.constantFrom(0, 400, 5_000, 20_000),
    }),
  },
);

/** The most that was used in any window beyond what the bucket may give in it. */
function overshoot(used: readonly { at: number; cost: number }[], capacity: number): number {
  let max = -Infinity;
  used.forEach((first, from) => {
    let sum = 0;
    for (const { at, cost } of used.slice(from)) {
      sum += cost;
      max = Math.max(max, sum - capacity - ((at - first.at) * capacity) / 60_000);
    }
  });
  return max;
}

test('whatever gateways ask, and whichever dies, the bounds on what they admit together and refuse too early hold', async () => {
  let leasedSome = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(6_000, 24_000, 600_000),
      fc.integer({ min: 1, max: 9 }),
      fc.array(event, { minLength: 20, maxLength: 60 }),
      async (capacity, cost, events) => {
        await redis.flush();
        let clock = 1_000_000;
        let asked = 0;
        const start = (): LeasingLimiter => {
          const shared = createRedisLimiter(client, { now: () => clock });
          const counted = {
            ...shared,
            take: (...given: Parameters<typeof shared.take>) => ((asked += 1), shared.take(...given)),
          };
          return createLeasingLimiter(counted, { now: () => clock, timers: false });
        };
        const gateways = Array.from({ length: GATEWAYS }, start);
        const exact = createLocalLimiter(() => clock);
        const used: { at: number; cost: number }[] = [];
        const slice = capacity * LEASE.share;
        let lost = 0;
        let requests = 0;

        const ask = async (limiter: LeasingLimiter | undefined, amount = cost): Promise<void> => {
          const charge = bucket(capacity, amount);
          requests += 1;
          const answer = await limiter?.admit([charge]);
          if (answer?.admitted) {
            used.push({ at: clock, cost: amount });
            return exact.settle([{ ...charge, delta: amount }]);
          }
          const level = (await exact.admit([bucket(capacity, 0)])).buckets[0]?.remaining ?? -Infinity;
          expect(level).toBeLessThan(amount + 2 * GATEWAYS * slice + lost);
        };

        const wait = async (ms: number): Promise<void> => {
          for (let left = ms; left > 0; left -= POLL_MS) {
            clock += Math.min(left, POLL_MS);
            for (const limiter of gateways) await limiter.poll();
          }
        };

        for (const each of events) {
          if (each.what === 'wait') await wait(each.ms);
          else if (each.what === 'die') {
            gateways[each.gateway] = start();
            lost += 2 * slice;
          } else if (each.what === 'burst') {
            await wait(each.after);
            // All that Redis has, and then what gateways hold of before.
            for (const share of [1, 0.99, 0.97, 0.9, 0.5])
              await ask(gateways[each.gateway], Math.round(capacity * share));
            for (const limiter of gateways) for (let n = 0; n < 15; n += 1) await ask(limiter);
          } else for (let n = 0; n < each.times; n += 1) await ask(gateways[each.gateway]);
        }
        expect(overshoot(used, capacity)).toBeLessThanOrEqual((LEASE.ttlMs * capacity) / 60_000 + 1e-6);
        if (asked < requests) leasedSome += 1;
      },
    ),
    { numRuns: 25 },
  );
  expect(leasedSome).toBeGreaterThan(5);
});
