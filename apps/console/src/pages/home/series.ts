import { parseUsd } from '@tollgate/money';
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
 * The lines of a summary as bars: amounts in pico-USD, so that what a bar says is exact. Each has a colour of its own;
 * those that were added up have the one for the rest.
 */
export const toBars = (
  { series }: Pick<UsageSummary, 'series'>,
  measure: Measure,
  nameOf: (series: UsageSeries) => string,
): BarSeries[] =>
  series.map((each, index) => ({
    id: each.key ?? '',
    name: nameOf(each),
    colour: each.key === null || index >= COLOURS ? 'var(--tg-series-rest)' : `var(--tg-series-${index + 1})`,
    values: VALUES[measure](each),
  }));

/** The share of requests that did not come to their end, such as "2.5"; null of none. */
export function unfinishedShare({ total }: Pick<UsageSummary, 'total'>): string | null {
  if (total.requests === 0) return null;
  const unfinished = total.requests - total.outcomes.completed;
  const percent = (unfinished / total.requests) * 100;
  return percent > 0 && percent < 0.1 ? '<0.1' : String(Math.round(percent * 10) / 10);
}
