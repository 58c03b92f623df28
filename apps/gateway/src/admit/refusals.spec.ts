import { accountScope } from '@tollgate/contracts';
import { createRefusals } from './refusals.ts';

type Refused = Parameters<ReturnType<typeof createRefusals>['note']>[1];

const rate = (fields: Partial<Extract<Refused, { dimension: unknown }>>): Refused => ({
  admitted: false,
  dimension: 'key',
  unit: 'requests',
  limit: 60,
  retryAfterMs: 4_000,
  buckets: [],
  ...fields,
});
const tokens = (remaining: number, dimension: 'key' | 'model' = 'key'): Refused =>
  rate({
    dimension,
    unit: 'tokens',
    limit: 60_000,
    buckets: [{ dimension, unit: 'tokens', limit: 60_000, remaining, resetMs: 1 }],
  });
const credit = (left: number): Refused => ({
  admitted: false,
  credit: 'insufficient',
  scope: accountScope('a'),
  left,
  held: 5,
  buckets: [],
});

test.each<[string, Refused, number]>([
  ['requests of a key', rate({}), 4_000],
  ['requests of an account', rate({ dimension: 'account' }), 4_000],
  [
    'requests of a key that may ask again much later: its limit may be raised',
    rate({ retryAfterMs: 60_000 }),
    10_000,
  ],
  ['requests of a model: another one may be asked', rate({ dimension: 'model' }), 0],
  ['requests of an address: the key may come from another one', rate({ dimension: 'client' }), 0],
  ['requests at once: one may end now', rate({ unit: 'concurrent' }), 0],
  ['tokens that a smaller request may find', tokens(100), 0],
  ['tokens that are owed', tokens(-5_001), 5_000],
  ['tokens of a model that are owed', tokens(-5_001, 'model'), 0],
  ['credit that a cheaper request may find', credit(6), 0],
  ['credit of which nothing is left', credit(0), 2_000],
  ['credit that is owed', credit(-7), 2_000],
  ['credit that nobody knows', { admitted: false, credit: 'unavailable', buckets: [] }, 0],
])('after a refusal for %s a key is known to be refused for so long', (_, refused, ms) => {
  let now = 1_000_000;
  const refusals = createRefusals(() => now);
  refusals.note('key', refused);
  expect(refusals.find('other')).toBeUndefined();
  now += Math.max(0, ms - 1);
  expect(refusals.find('key') === undefined).toBe(ms === 0);
  now += 1;
  expect(refusals.find('key')).toBeUndefined();
});

test('the refusal says what is left of the wait, and what to do', () => {
  let now = 0;
  const refusals = createRefusals(() => now);
  refusals.note('key', rate({}));
  now = 1_500;
  expect(refusals.find('key')).toMatchObject({
    kind: 'rate_limited',
    retryAfterMs: 2_500,
    message: 'The limit of 60 requests per minute for this API key is reached. Try again in 3 s.',
  });
  refusals.note('key', credit(0));
  expect(refusals.find('key')).toMatchObject({
    kind: 'quota_exhausted',
    message: 'No request can be paid for: the account has 0 USD left. To go on, top up the account.',
  });
});
