import fc from 'fast-check';
import { toAdmission, needed, rateLimitCharges, type TokenBucketCharge } from './token-bucket.ts';

const scope = { dimension: 'key', id: 'k1' } as const;
const cost = { requests: 1, tokens: 700 };

const charge = (changes: Partial<TokenBucketCharge> = {}): TokenBucketCharge => ({
  key: 'bucket',
  dimension: 'key',
  unit: 'requests',
  capacity: 60,
  refillPerMinute: 60,
  cost: 1,
  ...changes,
});

describe('rateLimitCharges', () => {
  test('makes a bucket of each figure that a minute holds, with its own cost', () => {
    expect(rateLimitCharges(scope, { requests_per_minute: 60, tokens_per_minute: 9_000 }, cost)).toEqual([
      {
        key: 'tollgate:tb:{key:k1}:requests',
        dimension: 'key',
        unit: 'requests',
        capacity: 60,
        refillPerMinute: 60,
        cost: 1,
      },
      {
        key: 'tollgate:tb:{key:k1}:tokens',
        dimension: 'key',
        unit: 'tokens',
        capacity: 9_000,
        refillPerMinute: 9_000,
        cost: 700,
      },
    ]);
  });

  test.each([
    ['both null', { requests_per_minute: null, tokens_per_minute: null }, []],
    ['nothing said', {}, []],
    ['requests alone', { requests_per_minute: 5 }, ['requests']],
    ['tokens alone', { requests_per_minute: null, tokens_per_minute: 5 }, ['tokens']],
    ['units', { units_per_minute: { characters: 9, images: 2 } }, ['images', 'characters']],
  ])('charges only what is limited: %s', (_name, limit, units) => {
    const of = { ...cost, images: 0, characters: 3 };
    expect(rateLimitCharges(scope, limit, of).map(({ unit }) => unit)).toEqual(units);
  });

  test('what may use no units of a kind is not limited by them', () => {
    const limit = { units_per_minute: { images: 2 } };
    expect(rateLimitCharges(scope, limit, { ...cost, characters: 3 })).toEqual([]);
  });

  test('two scopes never share a bucket', () => {
    const keys = (['client', 'key', 'account', 'group', 'model', 'route'] as const).flatMap((dimension) =>
      ['a', 'b'].flatMap((id) =>
        rateLimitCharges({ dimension, id }, { requests_per_minute: 1, tokens_per_minute: 1 }, cost).map(
          ({ key }) => key,
        ),
      ),
    );
    expect(new Set(keys).size).toBe(24);
  });
});

test.each([
  [1, 60, 1],
  [60, 60, 60],
  [600, 60, 60],
  [0, 60, 0],
])('a charge of %d on a bucket of %d waits for %d', (taken, capacity, expected) => {
  expect(needed(charge({ cost: taken, capacity }))).toBe(expected);
});

describe('toAdmission', () => {
  test('shows each bucket with what remains and when it is full again', () => {
    const tokens = charge({ unit: 'tokens', capacity: 6_000, refillPerMinute: 6_000 });
    expect(toAdmission([charge(), tokens], [59, 4_500.75], true)).toEqual({
      admitted: true,
      buckets: [
        { dimension: 'key', unit: 'requests', limit: 60, remaining: 59, resetMs: 1_000 },
        { dimension: 'key', unit: 'tokens', limit: 6_000, remaining: 4_500, resetMs: 14_993 },
      ],
    });
  });

  test('shows a debt as remaining below zero', () => {
    expect(toAdmission([charge()], [-30], true).buckets).toEqual([
      { dimension: 'key', unit: 'requests', limit: 60, remaining: -30, resetMs: 90_000 },
    ]);
  });

  test('a refusal names the bucket that blocks longest', () => {
    const slow = charge({
      dimension: 'account',
      unit: 'tokens',
      capacity: 100,
      refillPerMinute: 100,
      cost: 50,
    });
    expect(toAdmission([charge(), slow], [0, 40], false)).toMatchObject({
      admitted: false,
      dimension: 'account',
      unit: 'tokens',
      limit: 100,
      retryAfterMs: 6_000,
    });
  });

  test('a charge above the capacity waits only until the bucket is full', () => {
    expect(toAdmission([charge({ cost: 500 })], [30], false)).toMatchObject({ retryAfterMs: 30_000 });
  });

  test('the time to wait is always enough and never more than a millisecond too long', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 2_000_000 }),
        fc.double({ min: -1_000_000, max: 0.999, noNaN: true }),
        (capacity, taken, level) => {
          const one = charge({ capacity, refillPerMinute: capacity, cost: taken });
          const answer = toAdmission([one], [level], false);
          if (answer.admitted) throw new Error('a refusal became an admission');
          const levelAfter = (ms: number) => level + (ms * capacity) / 60_000;
          const rounding = capacity * 1e-6;
          expect(levelAfter(answer.retryAfterMs)).toBeGreaterThanOrEqual(needed(one) - rounding);
          if (answer.retryAfterMs > 1) {
            expect(levelAfter(answer.retryAfterMs - 1)).toBeLessThan(needed(one) + rounding);
          }
        },
      ),
    );
  });
});
