import { accountScope, creditRedisKey, HOLDS_REDIS_KEY } from '@tollgate/contracts';
import {
  measureAwake,
  redisCall,
  type RunningRedis,
  type RunningRedisCluster,
  type RunningSentinels,
  startRedisCluster,
  startRedisSentinels,
  waitFor,
} from '@tollgate/harness';
import {
  createCreditScopes,
  createResilientLimiter,
  type CreditScopes,
  rateLimitCharges,
  type ResilientLimiter,
} from '@tollgate/limits';
import { connectRedis, createLogger, listMasters } from '@tollgate/platform';
import type { Redis } from 'ioredis';

/** Longer than a machine stands still. */
const TIMEOUT_MS = 20_000;
/** A server that is gone is not waited for: no answer may take longer, whatever fails. */
const NO_HANG_MS = 2_000;
const logger = createLogger('test', 'silent');
const ID = (n: number) => `0198f1c2-7d1e-7000-8000-${String(n).padStart(12, '0')}`;

interface Room {
  readonly redis: Redis;
  readonly limiter: ResilientLimiter;
  readonly scopes: CreditScopes;
}
const deps: Room[] = [];

async function open(url: string): Promise<Room> {
  const redis = connectRedis(url, logger, { timeoutMs: TIMEOUT_MS });
  await waitFor(() => redis.status === 'ready', 'the connection');
  const room = {
    redis,
    limiter: createResilientLimiter(redis, { timeoutMs: TIMEOUT_MS }),
    scopes: createCreditScopes(redis),
  };
  deps.push(room);
  return room;
}
async function closeAll(): Promise<void> {
  for (const { redis, limiter } of deps.splice(0)) {
    await limiter.close();
    redis.disconnect();
  }
}

/** Of a bucket that gets nothing back while a test looks at it, however slow the machine is. */
const chargesOf = (id: string) =>
  rateLimitCharges({ dimension: 'key', id }, { requests_per_minute: 100 }, { requests: 1, tokens: 0 }).map(
    (charge) => ({ ...charge, refillPerMinute: 0.001 }),
  );

let longest = 0;
async function timed<T>(work: Promise<T>): Promise<T> {
  longest = Math.max(longest, await measureAwake(work));
  return work;
}
const remaining = async ({ limiter }: Room, id: string) =>
  (await timed(limiter.admit(chargesOf(id)))).buckets[0]?.remaining;

let requests = 0;
async function holdFor({ limiter }: Room, accountId: string): Promise<string> {
  const requestId = `req_${(requests += 1)}`;
  const hold = { requestId, accountId, keyId: ID(0), scopes: [accountScope(accountId)], amount: 10 };
  const answer = await timed(limiter.admitOnCredit([], hold));
  return answer.admitted ? 'held' : 'credit' in answer ? answer.credit : 'limited';
}
const load = ({ scopes }: Room, accounts: readonly string[]) =>
  scopes.write(
    { version: 1, left: new Map(accounts.map((each) => [accountScope(each), 1_000_000])) },
    { create: true },
  );

beforeEach(() => (longest = 0));
afterEach(closeAll);

describe('a cluster that loses a master', () => {
  let cluster: RunningRedisCluster;
  beforeAll(async () => (cluster = await startRedisCluster({ replicas: true })), 60_000);
  afterAll(() => cluster.stop());

  const serves = async ({ port }: RunningRedis, key: string): Promise<boolean> =>
    !((await redisCall(port, 'TYPE', key).catch((error: Error) => error)) instanceof Error);
  /** The first whose key lives there. */
  async function livingOn(server: RunningRedis, keyOf: (n: number) => string): Promise<number> {
    for (let n = 1; ; n += 1) if (await serves(server, keyOf(n))) return n;
  }

  test('limits what lived there by each gateway, gives no credit from there, and touches nothing else', async () => {
    const [first, second] = [await open(cluster.url), await open(cluster.url)];
    const own = await Promise.all(cluster.masters.map((each) => serves(each, HOLDS_REDIS_KEY)));
    const lost = cluster.masters[own.indexOf(false)];
    const kept = cluster.masters[own.indexOf(true)];
    if (!lost || !kept) throw new Error('the cluster has no two masters');
    const keyOn = async (server: RunningRedis) =>
      String(await livingOn(server, (n) => `tollgate:tb:{key:${n}}:requests`));
    const accountOn = async (server: RunningRedis) =>
      ID(await livingOn(server, (n) => creditRedisKey(accountScope(ID(n)))));
    const [lostKey, keptKey] = [await keyOn(lost), await keyOn(kept)];
    const [lostAccount, keptAccount] = [await accountOn(lost), await accountOn(kept)];
    await load(first, [lostAccount, keptAccount]);
    expect([await remaining(first, lostKey), await remaining(second, lostKey)]).toEqual([99, 98]);
    expect([await holdFor(first, lostAccount), await holdFor(first, keptAccount)]).toEqual(['held', 'held']);

    await lost.kill();
    expect([await remaining(first, lostKey), await remaining(first, lostKey)]).toEqual([99, 98]);
    expect(await remaining(second, lostKey)).toBe(99);
    expect(await holdFor(first, lostAccount)).toBe('unavailable');
    expect(first.limiter.degraded).toBe(true);
    expect([await remaining(first, keptKey), await remaining(second, keptKey)]).toEqual([99, 98]);
    expect(await holdFor(first, keptAccount)).toBe('held');

    const isReplaced = async () => (await holdFor(first, lostAccount)) === 'held';
    await waitFor(isReplaced, 'the replica as master', 30_000, 100).catch(async (error: Error) => {
      const nodes = String(await redisCall(kept.port, 'CLUSTER', 'NODES'));
      const known = listMasters(first.redis).map(({ options, status }) => `${options.port} ${status}`);
      throw new Error(`${error.message}:\n${nodes}The gateway knows ${known.join(', ')}.`);
    });
    await waitFor(async () => !second.limiter.degraded, 'the second gateway', 30_000);
    const shared = (await remaining(first, lostKey)) ?? 0;
    expect(await remaining(second, lostKey)).toBe(shared - 1);
    // What was asked while nobody could answer is not held in the end.
    const heldFor = async () => {
      const held = await first.redis.hget(creditRedisKey(accountScope(lostAccount)), 'held');
      const records = (await first.redis.hvals(HOLDS_REDIS_KEY)).filter((each) => each.includes(lostAccount));
      return Number(held) === 10 * records.length;
    };
    await waitFor(heldFor, 'that what is held is what is recorded', 10_000);
    expect(longest).toBeLessThan(NO_HANG_MS);
  }, 90_000);
});

describe('Sentinels whose master dies', () => {
  let sentinels: RunningSentinels;
  beforeAll(async () => (sentinels = await startRedisSentinels()), 60_000);
  afterAll(() => sentinels.stop());

  test('each gateway limits by itself and gives no credit until there is another, and then all together', async () => {
    const [first, second] = [await open(sentinels.url), await open(sentinels.url)];
    const account = ID(1);
    await load(first, [account]);
    expect([await remaining(first, 'a'), await remaining(second, 'a')]).toEqual([99, 98]);
    expect(await holdFor(first, account)).toBe('held');

    await (await sentinels.master()).kill();
    await waitFor(() => first.limiter.degraded && second.limiter.degraded, 'the loss');
    expect([await remaining(first, 'a'), await remaining(second, 'a')]).toEqual([99, 99]);
    expect(await holdFor(first, account)).toBe('unavailable');

    await waitFor(() => !first.limiter.degraded && !second.limiter.degraded, 'the new master', 30_000);
    await waitFor(
      async () => (await holdFor(second, account)) === 'held',
      'credit from the new master',
      10_000,
    );
    const shared = (await remaining(first, 'b')) ?? 0;
    expect(await remaining(second, 'b')).toBe(shared - 1);
    expect(longest).toBeLessThan(NO_HANG_MS);
  }, 90_000);
});
