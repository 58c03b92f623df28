// `npm run bench -- leasing`: what a thousand gateways admit together out of one leased bucket, beside the stated bound.
// The clock is simulated; the limiters and Redis are the real ones.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { startRedis } from '@tollgate/harness';
import { Redis } from 'ioredis';

const LIMITS = join(import.meta.dirname, '..', '..', '..', 'libs', 'limits', 'dist');
const load = <T>(file: string) => import(pathToFileURL(join(LIMITS, file)).href) as Promise<T>;

interface Charge {
  readonly key: string;
  readonly dimension: 'key';
  readonly unit: 'tokens';
  readonly capacity: number;
  readonly refillPerMinute: number;
  readonly cost: number;
}
interface Limiter {
  admit(charges: readonly Charge[]): Promise<{ readonly admitted: boolean }>;
  settle(corrections: readonly (Omit<Charge, 'cost'> & { readonly delta: number })[]): Promise<void>;
  take(charges: readonly Charge[], leases?: readonly number[]): Promise<unknown>;
}
interface Leasing extends Pick<Limiter, 'admit'> {
  poll(): Promise<void>;
}
const { createRedisLimiter } = await load<{
  createRedisLimiter: (redis: Redis, options: { now: () => number }) => Limiter;
}>('redis-limiter.js');
const { createLeasingLimiter } = await load<{
  createLeasingLimiter: (shared: Limiter, options: { now: () => number; timers: false }) => Leasing;
}>('leasing-limiter.js');
const { LEASE } = await load<{ LEASE: { readonly ttlMs: number } }>('lease.js');

const { values } = parseArgs({
  options: { gateways: { type: 'string', default: '1000' }, seconds: { type: 'string', default: '5' } },
});
const GATEWAYS = Number(values.gateways);
const STEP_MS = 10;
const POLL_MS = 100;
const MINUTE_MS = 60_000;
/** More than refills what gateways hold, less than their leases last. */
const PAUSE_MS = 300;
const BURST = 4;

interface Scenario {
  readonly says: string;
  /** Tokens a minute. */
  readonly capacity: number;
  readonly cost: number;
  /** What is asked for, in what the bucket refills. */
  readonly pressure: number;
  /** The part of all requests that comes to the first tenth of the gateways. */
  readonly skew: number;
  /**
   * The worst that can be done: half-way nobody asks, for long enough that the bucket is full again while gateways still
   * hold what they took; then everything is asked for at once. Without it the bucket is empty from the beginning.
   */
  readonly burst?: boolean;
}

const SCENARIOS: readonly Scenario[] = [
  { says: 'even, twice the limit', capacity: 60_000_000, cost: 50, pressure: 2, skew: 0.1 },
  { says: 'nine tenths to a tenth of the gateways', capacity: 60_000_000, cost: 50, pressure: 2, skew: 0.9 },
  { says: 'a pause, then a burst', capacity: 60_000_000, cost: 50, pressure: 0.9, skew: 0.1, burst: true },
  { says: 'a smaller bucket, larger requests', capacity: 6_000_000, cost: 200, pressure: 4, skew: 0.5 },
];

async function simulate(redis: Redis, { capacity, cost, pressure, skew, burst = false }: Scenario) {
  await redis.flushall();
  let clock = 1_000_000;
  let asked = 0;
  let requests = 0;
  const bucket = { key: 'tollgate:tb:{key:bench}:tokens', dimension: 'key', unit: 'tokens' } as const;
  const shape = { ...bucket, capacity, refillPerMinute: capacity };
  const gateways = Array.from({ length: GATEWAYS }, () => {
    const shared = createRedisLimiter(redis, { now: () => clock });
    const take: Limiter['take'] = (...given) => ((asked += 1), shared.take(...given));
    return createLeasingLimiter({ ...shared, take }, { now: () => clock, timers: false });
  });
  const others = createRedisLimiter(redis, { now: () => clock });
  // The minute's figure is used up at the beginning, by somebody else.
  if (!burst) await others.settle([{ ...shape, delta: capacity }]);
  const perMs = capacity / MINUTE_MS;
  const before = burst ? 0 : capacity;
  let used = before;
  let least = -perMs * clock;
  let over = 0;
  const half = Math.round((Number(values.seconds) * 500) / STEP_MS) * STEP_MS;
  const busy = Math.max(1, Math.round(GATEWAYS / 10));
  const perStep = (perMs * STEP_MS * pressure) / cost;
  for (let elapsed = 0; elapsed < Number(values.seconds) * 1_000; elapsed += STEP_MS) {
    clock += STEP_MS;
    least = Math.min(least, used - perMs * clock);
    const after = elapsed - half;
    const quiet = burst && after < 0 && after >= -PAUSE_MS;
    const pressed = burst && after >= 0 ? BURST : 1;
    const asking = Array.from({ length: quiet ? 0 : Math.round(perStep * pressed) }, () => {
      const among = Math.random() < skew ? Math.random() * busy : busy + Math.random() * (GATEWAYS - busy);
      return gateways[Math.min(GATEWAYS - 1, Math.floor(among))]?.admit([{ ...shape, cost }]);
    });
    requests += asking.length;
    const answers = await Promise.all(asking);
    used += answers.filter((answer) => answer?.admitted).length * cost;
    if (burst && after >= 0) used += await useUp(others, shape);
    over = Math.max(over, used - perMs * clock - least - capacity);
    if (elapsed % POLL_MS === 0) await Promise.all(gateways.map((each) => each.poll()));
  }
  const refilled = (perMs * Number(values.seconds) * 1_000) / 100;
  return { over, bound: LEASE.ttlMs * perMs, requests, asked, given: (used - before) / refilled };
}

/** Takes what a bucket holds, in smaller and smaller parts. */
async function useUp(limiter: Limiter, shape: Omit<Charge, 'cost'>): Promise<number> {
  let taken = 0;
  for (let cost = shape.capacity; cost >= 1_000; cost = Math.floor(cost / 2))
    if ((await limiter.admit([{ ...shape, cost }])).admitted) taken += cost;
  return taken;
}

const server = await startRedis();
const redis = new Redis(server.url, { replyMapping: 'legacy' });
try {
  process.stdout.write(`${GATEWAYS} gateways, ${values.seconds} s of simulated time\n\n`);
  process.stdout.write('| case | requests | asked Redis | admitted of the refill | overshoot | bound |\n');
  process.stdout.write('| --- | ---: | ---: | ---: | ---: | ---: |\n');
  for (const scenario of SCENARIOS) {
    const { over, bound, requests, asked, given } = await simulate(redis, scenario);
    const share = `${((asked / requests) * 100).toFixed(0)} %`;
    const row = [
      scenario.says,
      requests,
      share,
      `${given.toFixed(0)} %`,
      Math.round(over),
      Math.round(bound),
    ];
    process.stdout.write(`| ${row.join(' | ')} |\n`);
  }
} finally {
  redis.disconnect();
  await server.stop();
}
