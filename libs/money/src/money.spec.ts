import fc from 'fast-check';
import {
  divideHalfEven,
  formatCents,
  formatUsd,
  parseRatio,
  parseUsd,
  PICO_PER_USD,
  ratioText,
} from './index.ts';

test.each(['', '1.', '.5', '-1', '1e3', '0.1234567890', 'x'])('"%s" is no ratio', (text) => {
  expect(() => parseRatio(text)).toThrow(RangeError);
});

test('an amount survives being written and read', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 26n), max: 10n ** 26n }), (pico) => {
      expect(parseUsd(formatUsd(pico))).toBe(pico);
    }),
  );
});

test.each([
  [0n, '0.00'],
  [PICO_PER_USD, '1.00'],
  [-PICO_PER_USD / 2n, '-0.50'],
  [1n, '0.000000000001'],
  [12_345_600_000_000n, '12.3456'],
])('%s pico-USD reads %s', (pico, text) => {
  expect(formatUsd(pico)).toBe(text);
});

test.each([
  ['0.005', '0.00'],
  ['0.015', '0.02'],
  ['0.005000000001', '0.01'],
  ['-2.674999999999', '-2.67'],
  ['1', '1.00'],
])('%s is %s in whole cents', (amount, cents) => {
  expect(formatCents(parseUsd(amount))).toBe(cents);
});

test.each(['', '1.', '1e2', '0.1234567890123', '$1', ' 1', '1,5'])('"%s" is no amount', (text) => {
  expect(() => parseUsd(text)).toThrow(RangeError);
});

test.each([
  [10n, 4n, '2.5'],
  [1n, 3n, '0.333333333'],
  [100n, 1n, '100'],
  [0n, 7n, '0'],
])('%s / %s is shown as %s', (a, b, text) => {
  expect(ratioText(a, b)).toBe(text);
});

test.each([
  [5n, 2n, 2n],
  [7n, 2n, 4n],
  [-5n, 2n, -2n],
  [-7n, 2n, -4n],
  [6n, 4n, 2n],
])('%s / %s rounds half to even: %s', (a, b, quotient) => {
  expect(divideHalfEven(a, b)).toBe(quotient);
});
