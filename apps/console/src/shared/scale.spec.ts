import fc from 'fast-check';
import { axisEnd, labelPlaces, computePercent } from './scale.ts';

test.each([
  [0n, 1n],
  [1n, 1n],
  [3n, 5n],
  [7n, 10n],
  [21n, 25n],
  [26n, 50n],
  [1_000n, 1_000n],
  [1_001n, 2_000n],
  [123_456_789_012n, 200_000_000_000n],
])('an axis for %s ends at %s', (greatest, end) => {
  expect(axisEnd(greatest)).toBe(end);
});

test('an axis holds everything, and less than half of it is empty but for a step', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 4n, max: 10n ** 30n }), (greatest) => {
      const end = axisEnd(greatest);
      expect(end).toBeGreaterThanOrEqual(greatest);
      expect(end).toBeLessThanOrEqual(greatest * 2n + (greatest + 1n) / 2n);
    }),
  );
});

test('the parts of a whole are at most the whole', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n }), fc.nat(100), (whole, share) => {
      const part = (whole * BigInt(share)) / 100n;
      expect(computePercent(part, whole)).toBeGreaterThanOrEqual(0);
      expect(computePercent(part, whole)).toBeLessThanOrEqual(share);
    }),
  );
  expect(computePercent(1n, 0n)).toBe(0);
});

test.each([
  [24, 6, [3, 7, 11, 15, 19, 23]],
  [7, 8, [0, 1, 2, 3, 4, 5, 6]],
  [1, 6, [0]],
  [0, 6, []],
])('of %i buckets at most %i are labelled: %j', (count, max, places) => {
  expect(labelPlaces(count, max)).toEqual(places);
});
