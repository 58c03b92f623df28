import { explainCredit, explainRate } from './explain.ts';

const KEY = '0198f1c2-7d1e-7000-8000-000000000002';
const refused = (scope: string, left: number, held: number) => ({
  admitted: false as const,
  credit: 'insufficient' as const,
  buckets: [],
  scope,
  left,
  held,
});

test.each([
  [
    `account:${KEY}`,
    1_250_000,
    0,
    'This request may cost up to 2.50 USD, and the account has 1.25 USD left. Lower the request’s maximum of output tokens, or top up the account.',
  ],
  [
    `key:${KEY}:total`,
    3_000_000,
    2_999_999,
    'This request may cost up to 2.50 USD, and the budget of this API key has 0.000001 USD left (another 2.999999 USD is held for requests under way). Lower the request’s maximum of output tokens, or raise the budget of the key.',
  ],
  [
    `key:${KEY}:2026-11-21`,
    -500,
    0,
    'This request may cost up to 2.50 USD, and the daily budget of this API key has 0.00 USD left. Lower the request’s maximum of output tokens, or raise the budget of the key, or wait for the next day.',
  ],
  [
    `key:${KEY}:2026-11`,
    0,
    0,
    'This request may cost up to 2.50 USD, and the monthly budget of this API key has 0.00 USD left. Lower the request’s maximum of output tokens, or raise the budget of the key, or wait for the next month.',
  ],
])('a refusal by %s says what is needed, what is left and what to do', (scope, left, held, text) => {
  expect(explainCredit(refused(scope, left, held), 2_500_000)).toBe(text.replaceAll('’', "'"));
});

test.each([
  [
    'requests',
    'account',
    'The limit of 5 requests per minute for this account is reached. Try again in 2 s.',
  ],
  ['concurrent', 'key', 'The limit of 5 requests at once for this API key is reached. Try again in 2 s.'],
] as const)('a refusal by %s of the %s says which limit it is', (unit, dimension, text) => {
  const refusal = { admitted: false as const, buckets: [], unit, dimension, limit: 5, retryAfterMs: 1_200 };
  expect(explainRate(refusal)).toBe(text);
});
