import { compareHalves, computeRatio, lowerQuartile, median, quantile } from './statistics.ts';

test.each([
  [[5], 0.25, 5],
  [[1, 2, 3, 4, 5], 0.25, 2],
  [[4, 1, 3, 2], 0.5, 2.5],
  [[10, 20], 0.25, 12.5],
])('of %j the value at %d is %d', (values, share, expected) => {
  expect(quantile(values, share)).toBe(expected);
});

test('a slow moment moves the lower quartile by nothing', () => {
  const calm = [100, 101, 102, 103, 104, 105, 106, 107];
  expect(lowerQuartile([...calm.slice(0, 7), 900])).toBe(lowerQuartile(calm));
  expect(median([3, 1, 2])).toBe(2);
});

describe('the ratio of two that differ by a fifth', () => {
  const base = Array.from({ length: 20 }, (_, round) => 100 + (round % 5));
  const { ratio, from, to } = computeRatio([base.map((value) => value * 1.2)], [base]);

  test('is that, and the interval holds it and does not hold 1', () => {
    expect(ratio).toBeCloseTo(1.2, 10);
    expect(from).toBeGreaterThan(1.15);
    expect(from).toBeLessThanOrEqual(ratio);
    expect(to).toBeGreaterThanOrEqual(ratio);
    expect(to).toBeLessThan(1.25);
  });

  test('is the same each time it is computed', () => {
    const again = computeRatio([base.map((value) => value * 1.2)], [base]);
    expect(again).toEqual({ ratio, from, to });
  });
});

test('what met two alike in a round widens the interval of neither', () => {
  const base = Array.from({ length: 20 }, (_, round) => (round % 2 ? 100 : 300));
  const { from, to } = computeRatio([base], [base]);
  expect([from, to]).toEqual([1, 1]);
});

test('of several starts the median counts, and the interval knows how far they are apart', () => {
  const base = [100, 101, 102, 103];
  const starts = [1.2, 1.3, 1.9].map((by) => base.map((value) => value * by));
  const { ratio, from, to } = computeRatio(starts, [base, base, base]);
  expect(ratio).toBeCloseTo(1.3, 10);
  expect(from).toBeCloseTo(1.2, 1);
  expect(to).toBeCloseTo(1.9, 1);
});

describe('two runs of two starts each', () => {
  const base = [100, 110, 120, 130];
  const starts = (...factors: number[]) => factors.map((by) => base.map((value) => value * by));

  test.each([
    [[1.5, 1.5, 1.5, 1.5], 1.5, 1.5, true],
    [[1.4, 1.6, 1.5, 1.64], 1.5, 1.57, true],
    [[1.4, 1.6, 1.5, 1.66], 1.5, 1.58, false],
    [[1.6, 1.6, 1.5, 1.5], 1.6, 1.5, false],
  ])('%j: %d and %d, which agree: %s', (factors, first, second, agree) => {
    const halves = compareHalves(starts(...factors), starts(1, 1, 1, 1));
    expect(halves.first).toBeCloseTo(first, 10);
    expect(halves.second).toBeCloseTo(second, 10);
    expect(halves.agree).toBe(agree);
  });
});
