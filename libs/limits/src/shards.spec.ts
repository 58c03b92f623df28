import { startRedisCluster } from '@tollgate/harness';
import { accountScope, creditRedisKey, HOLDS_REDIS_KEY, keyScope } from '@tollgate/contracts';
import fc from 'fast-check';
import { keysApart, testRedis, type TestRedis } from '../testing/clients.ts';
import { createCreditScopes, type CreditScopes } from './credit-scopes.ts';
import type { CreditHold } from './hold.ts';
import { createLocalLimiter } from './local-limiter.ts';
import { createRedisLimiter, type RedisLimiter } from './redis-limiter.ts';
import type { RedisClient } from './script.ts';
import type { SlotCharge, TokenBucketCharge } from './token-bucket.ts';

const ACCOUNT = '0198f1c2-7d1e-7000-8000-000000000001';
const KEY = '0198f1c2-7d1e-7000-8000-000000000002';
const account = accountScope(ACCOUNT);
const total = keyScope(KEY, 'total', '');

let redis: TestRedis;
let client: RedisClient;
let other: RedisClient;
let limiter: RedisLimiter;
let scopes: CreditScopes;
beforeAll(async () => {
  redis = testRedis(await startRedisCluster());
  client = await redis.connect();
  other = await redis.connect();
  limiter = createRedisLimiter(client, { now: () => 1_000_000, gateway: 'here' });
  scopes = createCreditScopes(client);
});
afterAll(() => redis.stop());
beforeEach(() => redis.flush());

const [A = '', B = '', C = ''] = keysApart(3, (n) => `tollgate:tb:{key:${n}}:requests`);
const bucket = (key: string, changes: Partial<TokenBucketCharge> = {}): TokenBucketCharge => ({
  key,
  dimension: 'key',
  unit: 'requests',
  capacity: 10,
  refillPerMinute: 10,
  cost: 1,
  ...changes,
});
const place = (slot: string, capacity = 2): SlotCharge => ({
  key: `${C}:places`,
  dimension: 'key',
  unit: 'concurrent',
  capacity,
  slot,
});
const hold = (of: Partial<CreditHold> = {}): CreditHold => ({
  requestId: 'req_1',
  accountId: ACCOUNT,
  keyId: KEY,
  scopes: [account, total],
  amount: 600,
  ...of,
});
const load = (left: number) =>
  scopes.write({ version: 1, left: new Map([account, total].map((each) => [each, left])) }, { create: true });
const held = async () =>
  Promise.all([account, total].map(async (each) => Number(await client.hget(creditRedisKey(each), 'held'))));
const levels = async () =>
  (await limiter.admit([bucket(A, { cost: 0 }), bucket(B, { cost: 0 })])).buckets.map(
    ({ remaining }) => remaining,
  );

describe('a request whose limits live in different slots of a cluster', () => {
  test('takes of all of them', async () => {
    expect(await limiter.admit([bucket(A), place('a'), bucket(B, { cost: 4 })])).toMatchObject({
      admitted: true,
      buckets: [{ remaining: 9 }, { remaining: 1 }, { remaining: 6 }],
    });
    expect(await levels()).toEqual([9, 6]);
  });

  test('leaves nothing taken when one of them refuses, and says how all stand', async () => {
    await limiter.admit([bucket(B, { cost: 8 })]);
    const charges = [bucket(A), place('a'), bucket(B, { cost: 4, dimension: 'group' })];
    expect(await limiter.admit(charges)).toMatchObject({
      admitted: false,
      dimension: 'group',
      retryAfterMs: 12_000,
      buckets: [{ remaining: 10 }, { remaining: 2 }, { remaining: 2 }],
    });
    expect(await levels()).toEqual([10, 2]);
    expect(await client.zcard(place('').key)).toBe(0);
  });

  test('is refused for want of credit, and leaves nothing taken of anything', async () => {
    await load(1_000);
    await limiter.admitOnCredit([bucket(A)], hold());
    const refused = await limiter.admitOnCredit(
      [bucket(A), bucket(B), place('b')],
      hold({ requestId: 'req_2' }),
    );
    expect(refused).toMatchObject({ admitted: false, credit: 'insufficient', left: 1_000, held: 600 });
    expect(await levels()).toEqual([9, 10]);
    expect(await held()).toEqual([600, 600]);
    expect(await client.hkeys(HOLDS_REDIS_KEY)).toEqual(['req_1']);
    expect(await client.zcard(place('').key)).toBe(0);
  });

  test('is refused for a rate, and nothing is held for it', async () => {
    await load(1_000);
    await limiter.admit([bucket(B, { cost: 10 })]);
    const refused = await limiter.admitOnCredit([bucket(A), bucket(B)], hold());
    expect(refused).toMatchObject({ admitted: false, dimension: 'key', unit: 'requests' });
    expect(await held()).toEqual([0, 0]);
    expect(await client.exists(HOLDS_REDIS_KEY)).toBe(0);
    expect(await levels()).toEqual([10, 0]);
  });

  test('is told which scopes are not there', async () => {
    await scopes.write({ version: 1, left: new Map([[account, 900]]) }, { create: true });
    const refused = await limiter.admitOnCredit([], hold());
    expect(refused).toMatchObject({ admitted: false, credit: 'unknown', scopes: [total] });
    expect(Number(await client.hget(creditRedisKey(account), 'held'))).toBe(0);
  });

  test('settles and gives back its hold in every scope, also by its record alone', async () => {
    await load(1_000);
    await limiter.admitOnCredit([place('a')], hold());
    await limiter.settleCredit([place('a')], { requestId: 'req_1', scopes: [account, total], amount: 250 });
    expect(await held()).toEqual([250, 250]);
    expect((await scopes.holdsOf(['req_1']))[0]).toMatchObject({
      settled: true,
      amount: 250,
      gateway: 'here',
    });
    expect(await client.zcard(place('').key)).toBe(0);
    await limiter.settleCredit([], { requestId: 'req_1', amount: null });
    expect(await held()).toEqual([0, 0]);
    expect(await client.exists(HOLDS_REDIS_KEY)).toBe(0);
  });
});

test('the books write what is left and release holds in every slot', async () => {
  await load(1_000);
  await limiter.admitOnCredit([], hold());
  await limiter.admitOnCredit([], hold({ requestId: 'req_2', amount: 100, scopes: [account] }));
  await scopes.write({ version: 5, left: new Map([[account, 300]]) }, { release: ['req_1', 'req_0'] });
  expect(await held()).toEqual([100, 0]);
  expect(await client.hget(creditRedisKey(account), 'left')).toBe('300');
  expect(await client.hget(creditRedisKey(total), 'left')).toBe('1000');
  expect((await scopes.holdsOf(['req_1', 'req_2'])).map(({ requestId }) => requestId)).toEqual(['req_2']);
  const known = new Set<string>();
  for await (const page of scopes.known()) page.forEach((each) => known.add(each));
  expect(known).toEqual(new Set([account, total]));
  expect([...(await scopes.living(['here', 'there', 'elsewhere']))]).toEqual(['here']);
});

test('of many at once over two connections, as many are admitted as the narrowest limit has', async () => {
  const limiters = [limiter, createRedisLimiter(other, { now: () => 1_000_000 })];
  const wide = bucket(A, { capacity: 1_000 });
  const answers = await Promise.all(
    Array.from({ length: 120 }, (_, n) => limiters[n % 2]?.admit([wide, bucket(B, { capacity: 25 })])),
  );
  const admitted = answers.filter((answer) => answer?.admitted).length;
  expect(admitted).toBe(25);
  expect((await limiter.admit([{ ...wide, cost: 0 }])).buckets[0]?.remaining).toBe(1_000 - admitted);
});

test('one after the other they answer as one process would', async () => {
  const shapes = [A, B, C].map((key, n) => bucket(key, { capacity: 20 + 5 * n }));
  const operation = fc.record({
    of: fc.subarray(shapes, { minLength: 1 }),
    share: fc.double({ min: -1, max: 2, noNaN: true }),
    wait: fc.integer({ min: 0, max: 20_000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 20 }), async (operations) => {
      await redis.flush();
      let clock = 1_780_000_000_000;
      const local = createLocalLimiter(() => clock);
      const shared = createRedisLimiter(client, { now: () => clock });
      for (const { of, share, wait } of operations) {
        clock += wait;
        const amounts = of.map((each) => ({ ...each, cost: Math.round(share * each.capacity) }));
        if (share < 0) {
          const corrections = amounts.map((each) => ({ ...each, delta: each.cost }));
          await Promise.all([shared.settle(corrections), local.settle(corrections)]);
        } else expect(rounded(await shared.admit(amounts))).toEqual(rounded(await local.admit(amounts)));
      }
    }),
    { numRuns: 60 },
  );
});

/** What was taken and given back may differ from what was never touched by a rounding of the last place. */
const rounded = (answer: Awaited<ReturnType<RedisLimiter['admit']>>) => ({
  admitted: answer.admitted,
  buckets: answer.buckets.map(({ resetMs, remaining, ...rest }) => ({
    ...rest,
    remaining: Math.round(remaining + 0.499),
    resetMs: Math.round(resetMs / 1_000),
  })),
});
