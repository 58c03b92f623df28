import type { UsageSeries, UsageSums } from '../../api/summary.ts';
import { failedShare, failuresByStatus, toBars } from './series.ts';

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
    { id: 'm', name: 'M', colour: expect.stringMatching(/^var\(--tg-series-[1-7]\)$/) as string, values },
  ]);
});

test('each series has its own colour, and what was added up has the one for the rest', () => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', null];
  const colours = toBars({ series: keys.map(series) }, 'cost', () => '').map(({ colour }) => colour);
  expect(new Set(colours).size).toBe(8);
  expect(colours.at(-1)).toBe('var(--tg-series-rest)');
});

test('a series keeps its colour when others overtake it', () => {
  const colourOf = (keys: readonly string[]) =>
    new Map(toBars({ series: keys.map(series) }, 'cost', () => '').map(({ id, colour }) => [id, colour]));
  const keys = ['sim-chat', 'sim-claude', 'sim-gemini', 'sim-responses'];
  const before = colourOf(keys);
  expect(colourOf(keys.toReversed())).toEqual(new Map([...before].reverse()));
  expect(new Set(before.values()).size).toBe(keys.length);
  expect(colourOf(['sim-claude']).get('sim-claude')).toBe(before.get('sim-claude'));
});

test.each([
  [0, 0, null],
  [10, 0, '0'],
  [1_000, 1, '0.1'],
  [10_000, 1, '<0.1'],
  [2_400, 644, '26.8'],
])('of %i requests of which %i failed, %s percent did', (requests, failed, share) => {
  expect(failedShare({ requests, failed })).toBe(share);
});

test('failures are told by status, without what clients left', () => {
  const of = (http_status: number, error_code: string | null, requests: number) => ({
    http_status,
    error_code,
    requests,
    recorded: 0,
    each: [],
  });
  const series = [
    of(200, null, 90),
    of(499, 'client_closed_request', 9),
    of(429, 'rate_limit_exceeded', 2),
    of(200, 'upstream_cut', 4),
    of(429, 'insufficient_quota', 3),
    of(502, 'upstream_error', 1),
  ];
  expect(failuresByStatus({ series })).toEqual([
    ['429', 5],
    ['upstream_cut', 4],
    ['502', 1],
  ]);
});
