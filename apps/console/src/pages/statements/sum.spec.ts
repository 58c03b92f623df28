import { computeSum } from './sum.ts';

const movement = (amount_usd: string) => ({ kind: 'grant', transactions: 1, amount_usd });

test.each([
  [[], '0.00'],
  [['2.00', '-0.000000000001'], '1.999999999999'],
  [['90071992547409.93', '0.01', '-5'], '90071992547404.94'],
])('%j are together %s, to the last digit', (amounts, sum) => {
  expect(computeSum(amounts.map(movement))).toBe(sum);
});
