import type { PricePoint } from '../../api/pricing.ts';
import { axisSteps } from '../../shared/scale.ts';

/** A stretch of time during which a price stood: places from 0 to 1, the top and the right end being 1. */
interface Step {
  readonly from: number;
  readonly to: number;
  readonly height: number;
}

interface Series {
  readonly kind: string;
  readonly steps: readonly Step[];
}

/** The least that is drawn. */
const MINUTE_MS = 60_000;
/** What is paid, for drawing only: amounts that are read are worked out exactly elsewhere. */
const paid = ({ prices, group_ratio }: PricePoint, kind: string): number | null =>
  prices ? (prices[kind] ?? 0) * Number(group_ratio ?? '1') : null;

/** The numbers of the axis, and prices over time as steps from the first point until now; a stretch without a price has no step. */
export function toSteps(
  points: readonly PricePoint[],
  kinds: readonly string[],
  now: number,
): { readonly series: readonly Series[]; readonly axis: readonly bigint[] } {
  const start = Math.min(Date.parse(points[0]?.published_at ?? ''), now - MINUTE_MS);
  const place = (time: number) => Math.min(1, Math.max(0, (time - start) / (now - start)));
  const highest = Math.max(1, ...points.flatMap((point) => kinds.map((kind) => paid(point, kind) ?? 0)));
  // In micro-USD per million tokens.
  const axis = axisSteps(BigInt(Math.ceil(highest)));
  const end = Number(axis.at(-1));
  const series = kinds.map((kind) => ({
    kind,
    steps: points.flatMap((point, index): readonly Step[] => {
      const price = paid(point, kind);
      if (price === null) return [];
      const next = points[index + 1];
      return [
        {
          from: place(Date.parse(point.published_at)),
          to: next ? place(Date.parse(next.published_at)) : 1,
          height: price / end,
        },
      ];
    }),
  }));
  return { series, axis };
}

/** The line through steps in a box of a size; it breaks where there is no price. */
export function toPath(steps: readonly Step[], width: number, height: number): string {
  let end: number | null = null;
  return steps
    .map(({ from, to, height: level }) => {
      const [x, y, right] = [round(from * width), round((1 - level) * height), round(to * width)];
      const isJoined = end === x;
      end = right;
      return `${isJoined ? `V${y}` : `M${x} ${y}`}H${right}`;
    })
    .join('');
}

const round = (value: number): number => Math.round(value * 100) / 100;
