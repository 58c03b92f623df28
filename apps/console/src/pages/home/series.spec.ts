import type { UsageSeries, UsageSums } from '../../api/summary.ts';
import { findColour } from '../../shared/colours.ts';
import { failedShare, failuresByStatus, toBars, toBarsBefore, toRequests } from './series.ts';

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
    { id: 'm', name: 'M', fill: findColour('m'), values },
  ]);
});

test('each series has its own colour, and what was added up has the one for the rest', () => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', null];
  const fills = toBars({ series: keys.map(series) }, 'cost', () => '').map(({ fill }) => fill);
  expect(new Set(fills).size).toBe(8);
  expect(fills.at(-1)).toBe('var(--tg-series-rest)');
});

test('of the time before, what has no series of its own now is of the rest', () => {
  const now = { series: [series('a'), series(null)] };
  const before = toBarsBefore({ series: [series('gone'), series('a'), series(null)] }, now, 'requests');
  expect(before.map(({ id }) => id)).toEqual(['', 'a', '']);
});

test.each([
  [0, 'a', { from: '2026-11-24', to: '2026-11-24', hours: '10:00-11:00', model: 'a' }],
  [1, '', { from: '2026-11-24', to: '2026-11-24', hours: '11:00-11:30' }],
  [1, null, { from: '2026-11-24', to: '2026-11-24', hours: '11:00-11:30' }],
])('the bar %i of "%s" leads to %j', (bucket, key, search) => {
  const buckets = ['2026-11-24T02:00:00Z', '2026-11-24T03:00:00Z'];
  const summary = { buckets, to: '2026-11-24T03:30:00Z', by: 'model', time_zone: 'Asia/Shanghai' } as const;
  expect(toRequests(summary, bucket, key)).toEqual(search);
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
