import { findBalanceStatus } from './balance.ts';

test.each([
  ['prepaid', null, '12.50', { kind: 'prepaid', left: '12.50', used: null }],
  ['prepaid', null, '0.00', { kind: 'empty', left: '0.00', used: null }],
  ['prepaid', null, '-0.01', { kind: 'empty', left: '-0.01', used: null }],
  ['postpaid', null, '-900.00', { kind: 'unlimited', left: null, used: null }],
  ['postpaid', '100', '-25.00', { kind: 'owing', left: '75.00', used: 25 }],
  ['postpaid', '100', '10.00', { kind: 'owing', left: '110.00', used: 0 }],
  ['postpaid', '100', '-100.00', { kind: 'empty', left: '0.00', used: 100 }],
  ['postpaid', '100', '-130.00', { kind: 'empty', left: '0.00', used: 100 }],
] as const)('a %s account with the limit %s and the balance %s: %j', (mode, limit, balance, status) => {
  expect(findBalanceStatus({ mode, credit_limit_usd: limit }, balance)).toEqual(status);
});
