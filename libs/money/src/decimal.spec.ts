import fc from 'fast-check';
import { decimal, times, whole } from './decimal.ts';

test.each<[number, number, number, boolean]>([
  [1.25, 2_000_000, 2_500_000, true],
  [0.0000025, 1e12, 2_500_000, true],
  [1.5e-7, 1e12, 150_000, true],
  [37.5, 2_000_000, 75_000_000, true],
  [0.3333333, 1_000_000, 333_333, false],
  [1e21, 0, 0, true],
])('%d times %d is exactly %d, or rounded to it: %s', (a, b, value, isExact) => {
  expect(whole(times(decimal(a), decimal(b)))).toEqual({ value, isExact });
});

test('a number of up to nine places is what it was in text', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.nat(999_999_999), (units, billionths) => {
      const text = `${units}.${String(billionths).padStart(9, '0')}`;
      const { digits, places } = decimal(Number(text));
      expect(digits * 10n ** BigInt(9 - places)).toBe(BigInt(units) * 1_000_000_000n + BigInt(billionths));
    }),
  );
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('%d is no price', (value) => {
  expect(() => decimal(value)).toThrow(RangeError);
});
