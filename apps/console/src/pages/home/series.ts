import { parseUsd } from '@tollgate/money';
import type { RequestCountsOverTime } from '../../api/requests.ts';
import type { UsageSeries, UsageSummary } from '../../api/summary.ts';
import type { BarSeries } from '../../shared/StackedBars.tsx';
import type { HomeSearch } from './search.ts';

type Measure = NonNullable<HomeSearch['measure']>;

const COLOURS = 7;

const VALUES: Readonly<Record<Measure, (series: UsageSeries) => readonly bigint[]>> = {
  cost: ({ cost_usd }) => cost_usd.map(parseUsd),
  requests: ({ requests }) => requests.map(BigInt),
  tokens: ({ tokens }) => tokens.map(BigInt),
};

/**
 * The colour of each series, which follows from what it is and not from its rank: over another range, or by another
 * measure, it has the same. Of two that would have one colour the later by name takes the next that is free.
 */
function findColours(keys: readonly string[]): ReadonlyMap<string, number> {
  const taken = new Map<number, string>();
  for (const key of [...keys].sort()) {
    let colour =
      [...key].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7) % COLOURS;
    while (taken.has(colour)) colour = (colour + 1) % COLOURS;
    taken.set(colour, key);
  }
  return new Map([...taken].map(([colour, key]) => [key, colour + 1]));
}

/**
 * The lines of a summary as bars: amounts in pico-USD, so that what a bar says is exact. Each has a colour of its own;
 * those that were added up have the one for the rest.
 */
export const toBars = (
  { series }: Pick<UsageSummary, 'series'>,
  measure: Measure,
  nameOf: (series: UsageSeries) => string,
): BarSeries[] => {
  const colours = findColours(series.flatMap(({ key }) => key ?? []).slice(0, COLOURS));
  return series.map((each) => ({
    id: each.key ?? '',
    name: nameOf(each),
    colour: `var(--tg-series-${colours.get(each.key ?? '') ?? 'rest'})`,
    values: VALUES[measure](each),
  }));
};

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
