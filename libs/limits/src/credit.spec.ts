import { creditRedisKey, gatewayRedisKey, HOLDS_REDIS_KEY } from '@tollgate/contracts';
import { type RunningRedis, startRedis, startTcpProxy, type TcpProxy, waitFor } from '@tollgate/harness';
import { Redis } from 'ioredis';
import { createCreditScopes, type CreditScopes } from './credit-scopes.ts';
import type { CreditHold } from './hold.ts';
import { createRedisLimiter } from './redis-limiter.ts';
import { createResilientLimiter, type ResilientLimiter } from './resilient-limiter.ts';
import type { TokenBucketCharge } from './token-bucket.ts';

const ACCOUNT = '0198f1c2-7d1e-7000-8000-000000000001';
const KEY = '0198f1c2-7d1e-7000-8000-000000000002';
const account = `account:${ACCOUNT}`;
const total = `key:${KEY}:total`;

let server: RunningRedis;
let redis: Redis;
let scopes: CreditScopes;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url, { replyMapping: 'legacy' });
  scopes = createCreditScopes(redis);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
  await scopes.write({ version: 1, left: new Map([[account, 1_000]]) }, { create: true });
});

const hold = (of: Partial<CreditHold> = {}): CreditHold => ({
  requestId: 'req_1',
  accountId: ACCOUNT,
  keyId: KEY,
  scopes: [account],
  amount: 600,
  ...of,
});
const charge: TokenBucketCharge = {
  key: 'bucket',
  dimension: 'key',
  unit: 'requests',
  capacity: 5,
  refillPerMinute: 0.001,
  cost: 1,
};
const held = async (scope = account) => Number(await redis.hget(creditRedisKey(scope), 'held'));

describe('in Redis', () => {
  test('a refusal for want of credit says what there is and takes nothing, of the buckets neither', async () => {
    const limiter = createRedisLimiter(redis);
    expect(await limiter.admitOnCredit([charge], hold())).toMatchObject({ admitted: true });
    expect(await limiter.admitOnCredit([charge], hold({ requestId: 'req_2' }))).toEqual({
      admitted: false,
      credit: 'insufficient',
      scope: account,
      left: 1_000,
      held: 600,
      buckets: [expect.objectContaining({ remaining: 4 })],
    });
    expect(await held()).toBe(600);
    expect(await limiter.admit([{ ...charge, cost: 0 }])).toMatchObject({ buckets: [{ remaining: 4 }] });
  });

  test('a refusal for a rate limit holds nothing', async () => {
    const limiter = createRedisLimiter(redis);
    const refused = await limiter.admitOnCredit(
      [
        { ...charge, cost: 5 },
        { ...charge, key: 'b', cost: 5 },
      ],
      hold(),
    );
    expect(refused.admitted).toBe(true);
    const again = await limiter.admitOnCredit([charge], hold({ requestId: 'req_2', amount: 1 }));
    expect(again).toMatchObject({ admitted: false, dimension: 'key', unit: 'requests' });
    expect(await held()).toBe(600);
  });

  test('scopes that are not there are named, and nothing is taken of those that are', async () => {
    const limiter = createRedisLimiter(redis);
    const refused = await limiter.admitOnCredit([], hold({ scopes: [account, total] }));
    expect(refused).toMatchObject({ admitted: false, credit: 'unknown', scopes: [total] });
    expect(await held()).toBe(0);
  });

  test('taking or settling the same request again changes nothing more', async () => {
    const limiter = createRedisLimiter(redis);
    await limiter.admitOnCredit([], hold({ amount: 400 }));
    await limiter.admitOnCredit([], hold({ amount: 400 }));
    expect(await held()).toBe(400);
    for (const amount of [150, 150, 700]) {
      await limiter.settleCredit([], { requestId: 'req_1', amount });
      expect(await held()).toBe(amount);
    }
    await limiter.settleCredit([], { requestId: 'req_1', amount: null });
    await limiter.settleCredit([], { requestId: 'req_1', amount: 30 });
    expect(await held()).toBe(0);
    expect(await redis.exists(HOLDS_REDIS_KEY)).toBe(0);
  });

  test('a scope that was lost and loaded again is not touched by the holds of before', async () => {
    const limiter = createRedisLimiter(redis);
    await limiter.admitOnCredit([], hold());
    await redis.del(creditRedisKey(account));
    await scopes.write({ version: 2, left: new Map([[account, 1_000]]) }, { create: true });
    await limiter.admitOnCredit([], hold({ requestId: 'req_2', amount: 100 }));
    await limiter.settleCredit([], { requestId: 'req_1', amount: null });
    expect(await held()).toBe(100);
  });

  test('of two readings of the books the newer stands, whichever is written last', async () => {
    await scopes.write({ version: 7, left: new Map([[account, 70]]) });
    await scopes.write({ version: 6, left: new Map([[account, 60]]) });
    expect(await redis.hget(creditRedisKey(account), 'left')).toBe('70');
    await scopes.write({ version: 8, left: new Map([[total, 80]]) });
    expect(await redis.exists(creditRedisKey(total))).toBe(0);
  });

  test('holds tell whose they are, and a gateway lives for a while after it held', async () => {
    const limiter = createRedisLimiter(redis, { gateway: 'here' });
    const before = Date.now();
    await limiter.admitOnCredit([], hold());
    await limiter.settleCredit([], { requestId: 'req_1', amount: 20 });
    const pages = [];
    for await (const page of scopes.holds()) pages.push(...page);
    const [record] = pages;
    expect(pages).toEqual(await scopes.holdsOf(['req_0', 'req_1']));
    expect(record).toEqual({
      requestId: 'req_1',
      settled: true,
      amount: 20,
      gateway: 'here',
      accountId: ACCOUNT,
      keyId: KEY,
      scopes: [account],
      at: record?.at,
    });
    expect(record?.at).toBeGreaterThanOrEqual(before);
    expect([...(await scopes.living(['here', 'there']))]).toEqual(['here']);
    expect(await redis.pttl(gatewayRedisKey('here'))).toBeGreaterThan(0);
  });

  test('every scope is found', async () => {
    const names = Array.from({ length: 1_200 }, (_, n) => `key:${KEY}:${String(1_000 + n)}-01`);
    await scopes.write({ version: 2, left: new Map(names.map((name) => [name, 1])) }, { create: true });
    const found = new Set<string>();
    for await (const page of scopes.known()) page.forEach((name) => found.add(name));
    expect(found).toEqual(new Set([account, ...names]));
  });
});

describe('while Redis fails', () => {
  /** Longer than a machine stands still. */
  const TIMEOUT_MS = 20_000;
  let proxy: TcpProxy;
  let behindProxy: Redis;
  let limiter: ResilientLimiter;
  beforeEach(async () => {
    proxy = await startTcpProxy({ port: server.port });
    behindProxy = new Redis(`redis://127.0.0.1:${proxy.port}`, {
      replyMapping: 'legacy',
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: TIMEOUT_MS,
      retryStrategy: () => 50,
    });
    behindProxy.on('error', () => {});
    await waitFor(() => behindProxy.status === 'ready', 'the connection');
    limiter = createResilientLimiter(behindProxy, { timeoutMs: TIMEOUT_MS });
  });
  afterEach(async () => {
    limiter.close();
    behindProxy.disconnect();
    await proxy.stop();
  });

  /** Gives up soon, where Redis is not to answer. */
  const startImpatient = (): ResilientLimiter => {
    limiter.close();
    return (limiter = createResilientLimiter(behindProxy, { timeoutMs: 100 }));
  };

  test.each(['cut', 'blackhole'] as const)(
    'no credit is given after a %s, and again once it has ended',
    async (fault) => {
      const impatient = startImpatient();
      proxy[fault]();
      const refused = await impatient.admitOnCredit([charge], hold());
      expect(refused).toMatchObject({ admitted: false, credit: 'unavailable' });
      proxy.restore();
      const again = await waitFor(async () => {
        const answer = await impatient.admitOnCredit([charge], hold());
        return 'credit' in answer && answer.credit === 'unavailable' ? undefined : answer;
      }, 'the return of Redis');
      expect(again.admitted).toBe(true);
    },
  );

  test.each([120, null])('what a request cost (%p) is settled once Redis is back', async (amount) => {
    await limiter.admitOnCredit([], hold());
    proxy.cut();
    await waitFor(() => limiter.degraded, 'the loss of Redis');
    await limiter.settleCredit([], { requestId: 'req_1', amount });
    expect(await held()).toBe(600);
    proxy.restore();
    await waitFor(async () => (await held()) === (amount ?? 0), 'the settlement');
  });

  test('a hold that was taken though nobody heard so is given back', async () => {
    const impatient = startImpatient();
    await redis.call('CLIENT', 'PAUSE', '600000', 'WRITE');
    try {
      const refused = await impatient.admitOnCredit([], hold());
      expect(refused).toMatchObject({ admitted: false, credit: 'unavailable' });
      // What it has to tell of that does not come through yet.
      proxy.blackhole();
    } finally {
      await redis.call('CLIENT', 'UNPAUSE');
    }
    const isHeld = async () => (await redis.hexists(HOLDS_REDIS_KEY, 'req_1')) === 1;
    await waitFor(isHeld, 'the late hold');
    expect(await held()).toBe(600);
    proxy.restore();
    await waitFor(async () => !(await isHeld()), 'its release');
    expect(await held()).toBe(0);
  });

  test('credit from a Redis that is too slow is not given, and what it held late is released', async () => {
    const impatient = startImpatient();
    proxy.delay(200);
    const refused = await impatient.admitOnCredit([charge], hold());
    expect(refused).toMatchObject({ admitted: false, credit: 'unavailable' });
    // What it has to tell of that stays behind the hold.
    proxy.delay(600_000);
    await waitFor(async () => (await held()) === 600, 'the late hold');
    proxy.restore();
    await waitFor(async () => (await held()) === 0, 'its release');
    expect(await redis.exists(HOLDS_REDIS_KEY)).toBe(0);
  });

  test('a gateway that once gave credit goes on saying that it lives', async () => {
    await limiter.admitOnCredit([], hold());
    const [record] = await scopes.holdsOf(['req_1']);
    const name = gatewayRedisKey(record?.gateway ?? '');
    await redis.del(name);
    await waitFor(async () => (await redis.exists(name)) === 1, 'the sign of life');
  });
});
