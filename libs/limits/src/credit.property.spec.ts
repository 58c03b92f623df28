import { creditRedisKey, HOLDS_REDIS_KEY } from '@tollgate/contracts';
import { startRedis, startRedisCluster } from '@tollgate/harness';
import fc from 'fast-check';
import { testRedis, type TestRedis } from '../testing/clients.ts';
import { createCreditScopes, type CreditScopes } from './credit-scopes.ts';
import { createRedisLimiter, type RedisLimiter } from './redis-limiter.ts';
import type { RedisClient } from './script.ts';
import type { TokenBucketCharge } from './token-bucket.ts';

let server: TestRedis;
let redis: RedisClient;

const ACCOUNT = '0198f1c2-7d1e-7000-8000-000000000001';
const KEY = '0198f1c2-7d1e-7000-8000-000000000002';
const SCOPES = [`account:${ACCOUNT}`, `key:${KEY}:total`, `key:${KEY}:2026-11-21`];

/** So slow that nothing refills while a run lasts. */
const bucket: TokenBucketCharge = {
  key: 'bucket',
  dimension: 'key',
  unit: 'tokens',
  capacity: 400,
  refillPerMinute: 0.001,
  cost: 0,
};

/** What Redis should do, in plain words: the truth of the books beside it. */
class Model {
  /** By scope: what the books have, and what Redis was told of it last. */
  readonly booked = new Map(SCOPES.map((scope) => [scope, 500]));
  readonly written = new Map<string, { left: number; version: number }>();
  readonly holds = new Map<string, { scopes: readonly string[]; amount: number; settled: boolean }>();
  bucketLevel = 400;

  heldIn(scope: string): number {
    return [...this.holds.values()]
      .filter(({ scopes }) => scopes.includes(scope))
      .reduce((sum, { amount }) => sum + amount, 0);
  }

  admits(scopes: readonly string[], amount: number, cost: number): string {
    if (scopes.some((scope) => !this.written.has(scope))) return 'unknown';
    if (scopes.some((scope) => (this.written.get(scope)?.left ?? 0) - this.heldIn(scope) < amount))
      return 'insufficient';
    return this.bucketLevel < Math.min(cost, 400) ? 'rate' : 'admitted';
  }
}

interface Real {
  readonly limiter: RedisLimiter;
  readonly scopes: CreditScopes;
}

const someScopes = fc.subarray(SCOPES, { minLength: 1 });
const request = fc.integer({ min: 0, max: 7 }).map((n) => `req_${n}`);
const operation = fc.oneof(
  fc.record({
    kind: fc.constant('admit' as const),
    request,
    scopes: someScopes,
    amount: fc.integer({ min: 1, max: 250 }),
    cost: fc.integer({ min: 0, max: 60 }),
  }),
  fc.record({
    kind: fc.constant('settle' as const),
    request,
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ kind: fc.constant('give up' as const), request }),
  fc.record({ kind: fc.constant('post' as const), request }),
  fc.record({
    kind: fc.constant('top up' as const),
    scope: fc.constantFrom(...SCOPES),
    amount: fc.integer({ min: -300, max: 900 }),
  }),
  fc.record({ kind: fc.constant('load' as const), scopes: someScopes, late: fc.boolean() }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

let version = 0;

async function run(model: Model, { limiter, scopes }: Real, each: Operation): Promise<void> {
  const booked = (names: readonly string[]) =>
    new Map(names.map((name) => [name, model.booked.get(name) ?? 0]));
  switch (each.kind) {
    case 'admit': {
      if (model.holds.has(each.request)) return;
      const { amount } = each;
      const expected = model.admits(each.scopes, amount, each.cost);
      const hold = { requestId: each.request, accountId: ACCOUNT, keyId: KEY, scopes: each.scopes, amount };
      const answer = await limiter.admitOnCredit([{ ...bucket, cost: each.cost }], hold);
      expect(answer.admitted ? 'admitted' : 'credit' in answer ? answer.credit : 'rate').toBe(expected);
      if (expected !== 'admitted') return;
      model.bucketLevel -= each.cost;
      model.holds.set(each.request, { scopes: each.scopes, amount, settled: false });
      return;
    }
    case 'settle': {
      const hold = model.holds.get(each.request);
      const amount = Math.floor((hold?.amount ?? 100) * each.share);
      await limiter.settleCredit([], { requestId: each.request, amount });
      if (hold) model.holds.set(each.request, { ...hold, amount, settled: true });
      return;
    }
    case 'give up':
      await limiter.settleCredit([], { requestId: each.request, amount: null });
      model.holds.delete(each.request);
      return;
    case 'post': {
      const hold = model.holds.get(each.request);
      for (const scope of hold?.scopes ?? [])
        model.booked.set(scope, (model.booked.get(scope) ?? 0) - (hold?.amount ?? 0));
      const left = booked(hold?.scopes ?? []);
      await scopes.write({ version: (version += 1), left }, { release: [each.request] });
      for (const [scope, amount] of left)
        if (model.written.has(scope)) model.written.set(scope, { left: amount, version });
      model.holds.delete(each.request);
      return;
    }
    case 'top up':
      model.booked.set(each.scope, (model.booked.get(each.scope) ?? 0) + each.amount);
      return;
    case 'load': {
      const given = each.late ? 0 : (version += 1);
      const left = booked(each.scopes);
      await scopes.write({ version: given, left }, { create: true });
      for (const [scope, amount] of left) {
        const before = model.written.get(scope);
        if (!before || before.version < given) model.written.set(scope, { left: amount, version: given });
      }
    }
  }
}

async function expectSame(model: Model): Promise<void> {
  const holds = await redis.hgetall(HOLDS_REDIS_KEY);
  expect(Object.keys(holds).sort()).toEqual([...model.holds.keys()].sort());
  for (const [name, { amount, settled }] of model.holds)
    expect(holds[name]).toMatch(new RegExp(`^${settled ? 's' : 'o'}:${amount}:\\{`));
  for (const scope of SCOPES) {
    const fields = await redis.hgetall(creditRedisKey(scope));
    const written = model.written.get(scope);
    if (!written) {
      expect(fields).toEqual({});
      continue;
    }
    const own = Object.entries(fields).filter(([name]) => name.startsWith('h:'));
    expect({ left: Number(fields['left']), version: Number(fields['version']) }).toEqual(written);
    expect(Number(fields['held'])).toBe(model.heldIn(scope));
    expect(own.reduce((sum, [, amount]) => sum + Number(amount), 0)).toBe(model.heldIn(scope));
  }
}

describe.each([
  ['one server', startRedis, 150],
  ['a cluster', startRedisCluster, 30],
] as const)('on %s', (_name, start, numRuns) => {
  beforeAll(async () => {
    server = testRedis(await start());
    redis = await server.connect();
  });
  afterAll(() => server.stop());

  test('whatever is asked in whatever order, Redis holds what a plain model holds, and never gives more than is left', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 40 }), async (operations) => {
        await server.flush();
        const model = new Model();
        const real = {
          limiter: createRedisLimiter(redis, { now: () => 1 }),
          scopes: createCreditScopes(redis),
        };
        await run(model, real, { kind: 'load', scopes: SCOPES.slice(0, 2), late: false });
        for (const each of operations) {
          await run(model, real, each);
          await expectSame(model);
        }
      }),
      // A failure is made smaller for so long at most.
      { numRuns, interruptAfterTimeLimit: 20_000 },
    );
  });

  test('of many requests at once over two connections, no scope ever lends more than is left in it', async () => {
    const other = await server.connect();
    const limiters = [createRedisLimiter(redis), createRedisLimiter(other)];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ amount: fc.integer({ min: 1, max: 100 }), scopes: someScopes }), {
          minLength: 20,
          maxLength: 60,
        }),
        fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 3, maxLength: 3 }),
        async (requests, lefts) => {
          await server.flush();
          const left = new Map(SCOPES.map((scope, index) => [scope, lefts[index] ?? 0]));
          await createCreditScopes(redis).write({ version: 1, left }, { create: true });
          const answers = await Promise.all(
            requests.map((each, index) =>
              limiters[index % 2]?.admitOnCredit([], {
                ...each,
                requestId: `req_${index}`,
                accountId: ACCOUNT,
                keyId: KEY,
              }),
            ),
          );
          for (const scope of SCOPES) {
            const lent = requests.filter(
              (each, index) => answers[index]?.admitted && each.scopes.includes(scope),
            );
            const sum = lent.reduce((total, { amount }) => total + amount, 0);
            expect(sum).toBeLessThanOrEqual(left.get(scope) ?? 0);
            expect(Number(await redis.hget(creditRedisKey(scope), 'held'))).toBe(sum);
          }
        },
      ),
      { numRuns: Math.min(40, numRuns) },
    );
  });
});
