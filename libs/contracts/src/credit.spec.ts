import {
  accountScope,
  creditRedisKey,
  creditScopeSchema,
  keyScope,
  parseCreditScope,
  parseCreditRedisKey,
} from './index.ts';

const ID = '0198f1c2-7d1e-7000-8000-000000000001';

test.each([
  [accountScope(ID), { kind: 'account', accountId: ID }],
  [keyScope(ID, 'total', '2026-11-21'), { kind: 'key', keyId: ID, window: 'total', startsOn: null }],
  [keyScope(ID, 'daily', '2026-11-21'), { kind: 'key', keyId: ID, window: 'daily', startsOn: '2026-11-21' }],
  [
    keyScope(ID, 'monthly', '2026-11-21'),
    { kind: 'key', keyId: ID, window: 'monthly', startsOn: '2026-11-01' },
  ],
])('%s says what it is, in Redis too', (scope, parsed) => {
  expect(parseCreditScope(scope)).toEqual(parsed);
  expect(parseCreditRedisKey(creditRedisKey(scope))).toBe(scope);
  expect(creditScopeSchema.safeParse(scope).success).toBe(true);
});

test.each([
  '',
  'account:',
  `account:${ID}:total`,
  `key:${ID}`,
  `key:${ID}:2026`,
  `key:${ID}:2026-11-21T00`,
  `x${ID}`,
])('%p is no scope', (scope) => {
  expect(parseCreditScope(scope)).toBeUndefined();
  expect(creditScopeSchema.safeParse(scope).success).toBe(false);
});
