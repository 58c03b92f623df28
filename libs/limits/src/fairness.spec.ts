import { startRedis } from '@tollgate/harness';
import fc from 'fast-check';
import { testRedis, type TestRedis } from '../testing/clients.ts';
import { createRedisLimiter, type RedisLimiter } from './redis-limiter.ts';
import { rateLimitCharges } from './token-bucket.ts';

const PER_MINUTE = 600;
const GATEWAYS = 4;
const MINUTE = 60_000;
const STEP = 50;
const PRESSED_MINUTES = 11;
const PAUSE_MAX_MS = 250;

let redis: TestRedis;
beforeAll(async () => (redis = testRedis(await startRedis())));
afterAll(() => redis.stop());

const charges = rateLimitCharges(
  { dimension: 'key', id: 'k' },
  { requests_per_minute: PER_MINUTE },
  { requests: 1, tokens: 0 },
);

/** Most and least in any window of a minute between two moments, given when each was admitted, in order. */
function extremes(times: readonly number[], from: number, to: number): { max: number; min: number } {
  let max = 0;
  let min = Number.POSITIVE_INFINITY;
  let end = 0;
  // The fullest windows begin with an admission, the emptiest just after one.
  const begins = times.flatMap((at) => [at, at + 1]).filter((at) => at >= from && at + MINUTE <= to);
  const counted = (begin: number, first: number): number => {
    while ((times[end] ?? Number.POSITIVE_INFINITY) < begin + MINUTE) end += 1;
    return end - first;
  };
  let first = 0;
  for (const begin of begins) {
    while ((times[first] ?? Number.POSITIVE_INFINITY) < begin) first += 1;
    const count = counted(begin, first);
    max = Math.max(max, count);
    min = Math.min(min, count);
  }
  return { max, min };
}

test('a limit of 600 a minute that four gateways press on for eleven minutes admits 600 in any minute after the burst, within 1 %', async () => {
  const clients = await Promise.all(Array.from({ length: GATEWAYS }, () => redis.connect()));
  const pressure = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: GATEWAYS, maxLength: GATEWAYS });
  await fc.assert(
    fc.asyncProperty(
      pressure.filter((each) => each.reduce((sum, n) => sum + n, 0) > 1),
      fc.integer({ min: 0, max: 2 ** 31 }),
      async (perStep, seed) => {
        await redis.flush();
        let clock = 1_000_000;
        const limiters = clients.map((client) => createRedisLimiter(client, { now: () => clock }));
        const burst = await Promise.all(limiters.map((limiter) => press(limiter, PER_MINUTE / 2)));
        expect(burst.reduce((sum, n) => sum + n, 0)).toBe(PER_MINUTE);
        const begin = clock;
        const times: number[] = [];
        let dice = seed;
        while (clock < begin + PRESSED_MINUTES * MINUTE) {
          dice = (dice * 1_103_515_245 + 12_345) & 0x7fffffff;
          clock += 1 + ((dice >> 8) % PAUSE_MAX_MS);
          const answers = await Promise.all(
            limiters.map((limiter, gateway) =>
              press(limiter, (perStep[(gateway + (dice >> 16)) % GATEWAYS] ?? 0) + 1),
            ),
          );
          for (const admitted of answers) for (let n = 0; n < admitted; n += 1) times.push(clock);
        }
        const { max, min } = extremes(times, begin, clock);
        expect(max).toBeLessThanOrEqual(PER_MINUTE * 1.01);
        expect(min).toBeGreaterThanOrEqual(PER_MINUTE * 0.99);
        expect(Math.abs(times.length - ((clock - begin) * PER_MINUTE) / MINUTE)).toBeLessThanOrEqual(1);
      },
    ),
    { numRuns: 2 },
  );
});

test('a gateway that asks as often as another gets as much', async () => {
  await redis.flush();
  let clock = 1_000_000;
  const clients = await Promise.all(Array.from({ length: GATEWAYS }, () => redis.connect()));
  const limiters = clients.map((client) => createRedisLimiter(client, { now: () => clock }));
  await press(limiters[0], PER_MINUTE);
  const got = limiters.map(() => 0);
  let dice = 1;
  for (let step = 0; step < 600; step += 1) {
    clock += STEP;
    dice = (dice * 1_103_515_245 + 12_345) & 0x7fffffff;
    const turn = (dice >> 16) % GATEWAYS;
    for (let n = 0; n < GATEWAYS; n += 1) {
      const gateway = (turn + n) % GATEWAYS;
      got[gateway] = (got[gateway] ?? 0) + (await press(limiters[gateway], 1));
    }
  }
  const sum = got.reduce((total, each) => total + each, 0);
  expect(sum).toBeGreaterThanOrEqual(299);
  for (const each of got) expect(each).toBeGreaterThan(sum / GATEWAYS / 2);
});

async function press(limiter: RedisLimiter | undefined, requests: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: requests }, () => limiter?.admit(charges)));
  return answers.filter((answer) => answer?.admitted).length;
}
