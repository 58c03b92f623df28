import { parseUsd } from '@tollgate/money';
import type { Overview } from '../../api/overview.ts';
import type { BarSeries } from '../../shared/StackedBars.tsx';
import type { Measure } from './search.ts';

/** Each with its name in the catalogue of words. */
type Bar = BarSeries & {
  readonly name: 'answered' | 'failed' | 'cost' | 'margin' | 'loss' | 'unknown' | 'mean';
};

const bar = (name: Bar['name'], colour: string, values: readonly bigint[]): Bar => ({
  id: name,
  name,
  colour: `var(--tg-${colour})`,
  values,
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
