import { parseUsd } from '@tollgate/money';
import type { Overview } from '../../api/overview.ts';
import type { BarSeries } from '../../shared/StackedBars.tsx';
import { ALL_ACCOUNTS, type UsageSearch } from '../usage/filters.ts';
import { toTimes } from '../usage/times.ts';
import type { Measure } from './search.ts';

/** Each with its name in the catalogue of words. */
type Bar = BarSeries & {
  readonly name: 'answered' | 'failed' | 'cost' | 'margin' | 'loss' | 'unknown' | 'mean';
};

const bar = (name: Bar['name'], fill: string, values: readonly bigint[]): Bar => ({
  id: name,
  name,
  fill: `var(--tg-${fill})`,
  values,
});

/** Where a bar leads: to the requests of its time, of all accounts; to those that failed from what failed. */
export const toRequests = (
  { buckets, to, time_zone: zone }: Pick<Overview, 'buckets' | 'to' | 'time_zone'>,
  bucket: number,
  series: string | null,
): UsageSearch => ({
  account: ALL_ACCOUNTS,
  ...(series === 'failed' ? { status: 'error' } : {}),
  ...toTimes(buckets[bucket] ?? to, buckets[bucket + 1] ?? to, zone),
});

/** Amounts are pico-USD; bars that are zero all the time are left out. */
export function toBars({ each }: Pick<Overview, 'each'>, measure: Measure): readonly Bar[] {
  return LISTS[measure](each).filter(({ values }) => values.some((value) => value > 0n));
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

const LISTS: Readonly<Record<Measure, (each: Overview['each']) => readonly Bar[]>> = {
  requests: ({ requests, failed }) => [
    bar(
      'answered',
      'series-1',
      requests.map((all, at) => BigInt(all - (failed[at] ?? 0))),
    ),
    bar('failed', 'bad', failed.map(BigInt)),
  ],
  /** Together the revenue, but where upstreams cost more: what is missing then is the loss. */
  spend: ({ revenue_usd, upstream_cost_usd, margin_usd }) => {
    const margins = margin_usd.map(parseUsd);
    const costs = upstream_cost_usd.map(parseUsd);
    const covered = costs.map((cost, at) => cost - max(0n, -(margins[at] ?? 0n)));
    return [
      bar('cost', 'series-2', covered),
      bar(
        'margin',
        'series-1',
        margins.map((margin) => max(0n, margin)),
      ),
      bar(
        'loss',
        'bad',
        margins.map((margin) => max(0n, -margin)),
      ),
      bar(
        'unknown',
        'series-rest',
        revenue_usd.map((revenue, at) => parseUsd(revenue) - (margins[at] ?? 0n) - (costs[at] ?? 0n)),
      ),
    ];
  },
  firstByte: ({ first_byte_ms }) => [
    bar(
      'mean',
      'series-1',
      first_byte_ms.map((ms) => BigInt(ms ?? 0)),
    ),
  ],
};
