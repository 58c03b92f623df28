import fc from 'fast-check';
import { axisSteps, labelPlaces, computePercent } from './scale.ts';

test.each([
  [0n, [0n, 1n]],
  [1n, [0n, 1n]],
  [3n, [0n, 1n, 2n, 3n]],
  [7n, [0n, 2n, 4n, 6n, 8n]],
  [21n, [0n, 5n, 10n, 15n, 20n, 25n]],
  [101n, [0n, 25n, 50n, 75n, 100n, 125n]],
  [
    123_456_789_012n,
    [0n, 25_000_000_000n, 50_000_000_000n, 75_000_000_000n, 100_000_000_000n, 125_000_000_000n],
  ],
])('the numbers of an axis for %s are %j', (greatest, steps) => {
  expect(axisSteps(greatest)).toEqual(steps);
});

test('an axis holds everything by at most five steps, and less than a step is empty', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n }), (greatest) => {
      const steps = axisSteps(greatest);
      const [end = 0n, before = 0n] = [steps.at(-1), steps.at(-2)];
      expect(steps.length).toBeLessThanOrEqual(6);
      expect(end).toBeGreaterThanOrEqual(greatest);
      expect(before).toBeLessThan(greatest);
      // Of five steps at most one is empty but for a rest: a half of the height is used at least.
      if (greatest > 4n) expect(greatest * 2n).toBeGreaterThan(end);
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
