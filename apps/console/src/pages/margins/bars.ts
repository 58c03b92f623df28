import { parseUsd } from '@tollgate/money';
import type { MarginFigures } from '../../api/margins.ts';

/** The parts of a bar in percent of the longest one. */
interface Bar {
  /** Revenue that goes to upstreams. */
  readonly cost: number;
  readonly margin: number;
  /** What upstreams charge beyond the revenue. */
  readonly loss: number;
  /** Revenue of which nobody knows what it cost. */
  readonly unknown: number;
}

const PARTS = ['cost', 'margin', 'loss', 'unknown'] as const;
const TENTHS = 1_000n;

/** A bar for each row; only lengths are rounded. */
export function toBars(rows: readonly MarginFigures[]): Bar[] {
  const parts = rows.map(toParts);
  const longest = parts.reduce((max, each) => {
    const length = PARTS.reduce((sum, part) => sum + each[part], 0n);
    return length > max ? length : max;
  }, 0n);
  const percent = (pico: bigint) => (longest === 0n ? 0 : Number((pico * TENTHS) / longest) / 10);
  return parts.map(({ cost, margin, loss, unknown }) => ({
    cost: percent(cost),
    margin: percent(margin),
    loss: percent(loss),
    unknown: percent(unknown),
  }));
}

function toParts(row: MarginFigures): Record<(typeof PARTS)[number], bigint> {
  const unknown = parseUsd(row.revenue_of_unknown_cost_usd);
  const known = parseUsd(row.revenue_usd) - unknown;
  const charged = parseUsd(row.upstream_cost_usd);
  return {
    cost: charged < known ? charged : known,
    margin: charged < known ? known - charged : 0n,
    loss: charged > known ? charged - known : 0n,
    unknown,
  };
}
