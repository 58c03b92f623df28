import fc from 'fast-check';
import { charge, divideHalfEven, formatUsd, parseRatio, parseUsd, PICO_PER_USD, ratioText } from './index.ts';

const one = parseRatio('1');
const tokens = fc.bigInt({ min: 0n, max: 10n ** 15n });
const price = fc.bigInt({ min: 0n, max: 10n ** 12n });
const lines = fc.array(fc.record({ tokens, price }), { maxLength: 10 });

test.each([
  ['1 token at 1 micro-USD per million', [{ tokens: 1, price: 1 }], '1', 1n],
  [
    'a million tokens at 2.50 USD per million',
    [{ tokens: 1_000_000, price: 2_500_000 }],
    '1',
    (25n * PICO_PER_USD) / 10n,
  ],
  [
    'two kinds',
    [
      { tokens: 10, price: 3 },
      { tokens: 5, price: 15 },
    ],
    '1',
    105n,
  ],
  ['a ratio', [{ tokens: 10, price: 100 }], '0.85', 850n],
  ['half a pico-USD to even, down', [{ tokens: 1, price: 1 }], '0.5', 0n],
  ['half a pico-USD to even, up', [{ tokens: 3, price: 1 }], '0.5', 2n],
  ['a ratio of nothing', [{ tokens: 10, price: 100 }], '0', 0n],
  ['no tokens', [], '1', 0n],
])('charges %s', (_case, given, ratio, pico) => {
  expect(charge(given, parseRatio(ratio))).toBe(pico);
});

test('without a ratio the parts add up to the whole', () => {
  fc.assert(
    fc.property(lines, lines, (a, b) => {
      expect(charge([...a, ...b], one)).toBe(charge(a, one) + charge(b, one));
    }),
  );
});

test('the one rounding is off by at most half a pico-USD, and to even at the half', () => {
  const ratio = fc.record({
    numerator: fc.bigInt({ min: 0n, max: 10n ** 9n }),
    scale: fc.integer({ min: 0, max: 9 }),
  });
  fc.assert(
    fc.property(lines, ratio, (given, by) => {
      const scale = 10n ** BigInt(by.scale);
      const exact = given.reduce((sum, line) => sum + line.tokens * line.price, 0n) * by.numerator;
      const twiceOff = (charge(given, by) * scale - exact) * 2n;
      expect(twiceOff <= scale && -twiceOff <= scale).toBe(true);
      if (twiceOff === scale || -twiceOff === scale) expect(charge(given, by) % 2n).toBe(0n);
    }),
  );
});

test.each([[1.5], [-1], [2 ** 53], [Number.NaN]])('a count of %s is refused', (count) => {
  expect(() => charge([{ tokens: count, price: 1 }], one)).toThrow(RangeError);
});

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
