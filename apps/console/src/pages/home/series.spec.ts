import type { UsageSeries, UsageSums } from '../../api/summary.ts';
import { toBars, unfinishedShare } from './series.ts';

const sums: UsageSums = { requests: 3, tokens_in: 5, tokens_out: 7, units: {}, cost_usd: '0.000000000012' };
const series = (key: string | null): UsageSeries => ({
  key,
  label: null,
  total: sums,
  requests: [1, 2],
  tokens: [4, 8],
  cost_usd: ['0.000000000005', '0.000000000007'],
});

test.each([
  ['cost' as const, [5n, 7n]],
  ['requests' as const, [1n, 2n]],
  ['tokens' as const, [4n, 8n]],
])('bars of %s have exact values', (measure, values) => {
  expect(toBars({ series: [series('m')] }, measure, () => 'M')).toEqual([
    { id: 'm', name: 'M', colour: 'var(--tg-series-1)', values },
  ]);
});

test('each series has its own colour, and what was added up has the one for the rest', () => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', null];
  const colours = toBars({ series: keys.map(series) }, 'cost', () => '').map(({ colour }) => colour);
  expect(new Set(colours).size).toBe(8);
  expect(colours.at(-1)).toBe('var(--tg-series-rest)');
});

test.each([
  [0, 0, null],
  [10, 10, '0'],
  [1_000, 999, '0.1'],
  [10_000, 9_999, '<0.1'],
  [8, 6, '25'],
  [1_000, 975, '2.5'],
])('of %i requests of which %i were completed, %s percent were not', (requests, completed, share) => {
  const outcomes = { completed, client_aborted: 0, upstream_cut: requests - completed };
  expect(unfinishedShare({ total: { ...sums, requests, outcomes } })).toBe(share);
});
