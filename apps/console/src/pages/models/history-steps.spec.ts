import type { PricePoint } from '../../api/pricing.ts';
import { toPath, toSteps } from './history-steps.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-21T00:00:00Z');
const point = (daysAgo: number, input: number | null, group_ratio = '1'): PricePoint => ({
  version: 100 - daysAgo,
  published_at: new Date(NOW - daysAgo * DAY).toISOString(),
  group_ratio: input === null ? null : group_ratio,
  prices: input === null ? null : { input, output: 2 * input },
  tiers: [],
  request_price: 0,
  unit_prices: {},
  service_tiers: {},
  regions: {},
});

test('each price stands from its version to the next, and the last one until now', () => {
  const {
    series: [input, output],
  } = toSteps([point(10, 100), point(5, 50)], ['input', 'output'], NOW);
  expect(input?.steps.map(({ from, to }) => [from, to])).toEqual([
    [0, 0.5],
    [0.5, 1],
  ]);
  const heights = [...(input?.steps ?? []), ...(output?.steps ?? [])].map(({ height }) => height);
  expect(heights.map((height) => height / (heights[2] ?? 1))).toEqual([0.5, 0.25, 1, 0.5]);
  expect(Math.max(...heights)).toBeLessThanOrEqual(1);
});

test('the axis has numbers up to the highest price', () => {
  expect(toSteps([point(3, 1_100_000)], ['input', 'output'], NOW).axis).toEqual([
    0n,
    500_000n,
    1_000_000n,
    1_500_000n,
    2_000_000n,
    2_500_000n,
  ]);
});

test('the ratio of the group counts', () => {
  const {
    series: [input],
  } = toSteps([point(10, 100), point(5, 100, '0.5')], ['input'], NOW);
  expect(input?.steps[1]?.height).toBeCloseTo((input?.steps[0]?.height ?? 0) / 2);
});

test('while the model is not offered there is no step', () => {
  const {
    series: [input],
  } = toSteps([point(8, 100), point(6, null), point(2, 100)], ['input'], NOW);
  expect(input?.steps.map(({ from, to }) => [from, to])).toEqual([
    [0, 0.25],
    [0.75, 1],
  ]);
});

test.each([
  [0.01, 0],
  [15 / 86_400, 0.75],
  [0, 1],
])('the only price, %d days old, begins at %d of the width', (daysAgo, from) => {
  const {
    series: [input],
  } = toSteps([point(daysAgo, 100)], ['input'], NOW);
  expect(input?.steps).toEqual([
    { from: expect.closeTo(from) as number, to: 1, height: expect.any(Number) as number },
  ]);
});

test('a free model lies on the base line', () => {
  expect(toSteps([point(3, 0)], ['input'], NOW).series[0]?.steps[0]?.height).toBe(0);
});

test('the line goes on from step to step and breaks where there is no price', () => {
  const steps = [
    { from: 0, to: 0.25, height: 0.5 },
    { from: 0.25, to: 0.5, height: 1 },
    { from: 0.75, to: 1, height: 0 },
  ];
  expect(toPath(steps, 400, 100)).toBe('M0 50H100V0H200M300 100H400');
});
