import { isAmountFor } from './operation.ts';

test.each([
  ['grant', '12.50', true],
  ['grant', ' 0.000000000001 ', true],
  ['grant', '0', false],
  ['payment', '-5', false],
  ['payout', '1,000', false],
  ['write_off', '', false],
  ['adjustment', '-2.50', true],
  ['adjustment', '2.50', true],
  ['adjustment', '0.00', false],
] as const)('a %s of "%s" can be entered: %s', (kind, text, can) => {
  expect(isAmountFor(kind, text)).toBe(can);
});
