import { creditLeft, isBelowZero } from './status.ts';

test.each([
  ['prepaid', null, '12.50', '12.50'],
  ['prepaid', null, '-0.01', '0.00'],
  ['postpaid', '100.00', '-30.000000000001', '69.999999999999'],
  ['postpaid', '100.00', '-130.00', '0.00'],
  ['postpaid', '0.00', '5.00', '5.00'],
  ['postpaid', null, '-1000.00', null],
] as const)('%s with a limit of %s and a balance of %s may spend %s', (mode, limit, balance, left) => {
  expect(creditLeft({ mode, credit_limit_usd: limit, balance_usd: balance })).toBe(left);
});

test('a debt is what is below zero', () => {
  expect(['-0.000000000001', '0.00', '1.00'].map(isBelowZero)).toEqual([true, false, false]);
});
