import { parseUsd } from '@tollgate/money';
import type { RequestCountsOverTime } from '../../api/requests.ts';
import type { UsageSeries, UsageSummary } from '../../api/summary.ts';
import type { BarSeries } from '../../shared/StackedBars.tsx';
import { findFills } from '../../shared/colours.ts';
import type { UsageSearch } from '../usage/filters.ts';
import { toTimes } from '../usage/times.ts';
import type { HomeSearch } from './search.ts';

type Measure = NonNullable<HomeSearch['measure']>;

/** What was added up. */
const REST = '';

const VALUES: Readonly<Record<Measure, (series: UsageSeries) => readonly bigint[]>> = {
  cost: ({ cost_usd }) => cost_usd.map(parseUsd),
  requests: ({ requests }) => requests.map(BigInt),
  tokens: ({ tokens }) => tokens.map(BigInt),
};

/**
 * The lines of a summary as bars: amounts in pico-USD, so that what a bar says is exact. Each has the colour of its name;
 * those that were added up have the one for the rest.
 */
export const toBars = (
  { series }: Pick<UsageSummary, 'series'>,
  measure: Measure,
  nameOf: (series: UsageSeries) => string,
): BarSeries[] => {
  const fills = findFills(series.flatMap(({ key }) => key ?? []));
  return series.map((each) => ({
    id: each.key ?? REST,
    name: nameOf(each),
    fill: fills.get(each.key ?? '') ?? 'var(--tg-series-rest)',
    values: VALUES[measure](each),
  }));
};

/**
 * The bars of the time before, by the series of today: what has none of its own now is of the rest, so that a series that
 * is hidden is hidden of both.
 */
export function toBarsBefore(
  before: Pick<UsageSummary, 'series'>,
  now: Pick<UsageSummary, 'series'>,
  measure: Measure,
): readonly Pick<BarSeries, 'id' | 'values'>[] {
  const own = new Set(now.series.map(({ key }) => key ?? REST));
  return before.series.map((each) => ({
    id: own.has(each.key ?? REST) ? (each.key ?? REST) : REST,
    values: VALUES[measure](each),
  }));
}

/** Where a bar of a summary leads: to the requests of its time, of one series or of all. */
export const toRequests = (
  { buckets, to, by, time_zone: zone }: Pick<UsageSummary, 'buckets' | 'to' | 'by' | 'time_zone'>,
  bucket: number,
  series: string | null,
): UsageSearch => ({
  ...toTimes(buckets[bucket] ?? to, buckets[bucket + 1] ?? to, zone),
  ...(series === null || series === REST || by === 'status' ? {} : { [by]: series }),
});

/** The share of requests that failed, such as "2.5"; null of none. */
export function failedShare({
  requests,
  failed,
}: Pick<RequestCountsOverTime, 'requests' | 'failed'>): string | null {
  if (requests === 0) return null;
  const percent = (failed / requests) * 100;
  return percent > 0 && percent < 0.1 ? '<0.1' : String(Math.round(percent * 10) / 10);
}

/** Failed requests by status, the most frequent first; a stream that was cut has none of its own. */
export function failuresByStatus({
  series,
}: Pick<RequestCountsOverTime, 'series'>): readonly (readonly [status: string, requests: number])[] {
  const sums = new Map<string, number>();
  for (const { http_status: status, error_code: code, requests } of series) {
    const isCut = code === 'upstream_cut';
    if (!isCut && (status < 400 || status === 499)) continue;
    const name = isCut ? code : String(status);
    sums.set(name, (sums.get(name) ?? 0) + requests);
  }
  return [...sums].sort(([, a], [, b]) => b - a);
}
