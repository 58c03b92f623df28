import type { RateLimit } from '@tollgate/contracts';

export type LimitDimension = 'client' | 'key' | 'account' | 'group' | 'model' | 'route';
export type LimitUnit = 'requests' | 'tokens';

/** One token bucket and what a request takes from it. */
export interface TokenBucketCharge {
  /** The bucket's name in Redis. */
  readonly key: string;
  readonly dimension: LimitDimension;
  readonly unit: LimitUnit;
  /** What a full bucket holds. */
  readonly capacity: number;
  readonly refillPerMinute: number;
  readonly cost: number;
}

/** How a bucket stands after the request. */
export interface BucketState {
  readonly dimension: LimitDimension;
  readonly unit: LimitUnit;
  readonly limit: number;
  /** Below zero while a request larger than the bucket is being paid off. */
  readonly remaining: number;
  /** Until the bucket is full again. */
  readonly resetMs: number;
}

export type Admission =
  | { readonly admitted: true; readonly buckets: readonly BucketState[] }
  | {
      readonly admitted: false;
      readonly buckets: readonly BucketState[];
      /** The bucket that blocks longest. */
      readonly dimension: LimitDimension;
      readonly unit: LimitUnit;
      readonly limit: number;
      readonly retryAfterMs: number;
    };

/** A correction once the real cost is known: what a bucket loses (or, below zero, gets back) beside the charge. */
export interface BucketCorrection {
  readonly key: string;
  readonly capacity: number;
  readonly refillPerMinute: number;
  readonly delta: number;
}

export interface Limiter {
  /** Takes every charge, or none when one bucket does not hold enough. An empty list asks nobody. */
  admit(charges: readonly TokenBucketCharge[]): Promise<Admission>;
  settle(corrections: readonly BucketCorrection[]): Promise<void>;
}

export const MINUTE_MS = 60_000;

/**
 * The charges of one scope's limits. A minute's figure may be taken in one burst and refills evenly.
 *
 * @param scope what is limited; the id is part of the bucket's name, `tollgate:tb:{dimension}:{id}:{unit}`.
 */
export function rateLimitCharges(
  scope: { readonly dimension: LimitDimension; readonly id: string },
  limit: RateLimit,
  cost: { readonly requests: number; readonly tokens: number },
): TokenBucketCharge[] {
  const figures = [
    ['requests', limit.requests_per_minute, cost.requests],
    ['tokens', limit.tokens_per_minute, cost.tokens],
  ] as const;
  return figures.flatMap(([unit, perMinute, taken]) =>
    perMinute === null || perMinute === undefined
      ? []
      : [
          {
            key: `tollgate:tb:${scope.dimension}:${scope.id}:${unit}`,
            dimension: scope.dimension,
            unit,
            capacity: perMinute,
            refillPerMinute: perMinute,
            cost: taken,
          },
        ],
  );
}

/**
 * What a bucket must hold before a charge is taken. A charge above the capacity waits for a full bucket and leaves a
 * debt: a huge prompt is slow, never impossible. A charge of nothing waits only until the debt is paid.
 */
export const needed = ({ cost, capacity }: TokenBucketCharge): number => Math.min(cost, capacity);

/** The answer to a request, from the levels of its buckets (after the charge when it was taken, as found when not). */
export function admissionOf(
  charges: readonly TokenBucketCharge[],
  levels: readonly number[],
  admitted: boolean,
): Admission {
  const buckets = charges.map((charge, index): BucketState => {
    const level = levels[index] ?? charge.capacity;
    return {
      dimension: charge.dimension,
      unit: charge.unit,
      limit: charge.capacity,
      remaining: Math.floor(level),
      resetMs: Math.max(0, Math.ceil(((charge.capacity - level) * MINUTE_MS) / charge.refillPerMinute)),
    };
  });
  if (admitted) return { admitted, buckets };
  const waits = charges.map((charge, index) => ({
    charge,
    wait: ((needed(charge) - (levels[index] ?? charge.capacity)) * MINUTE_MS) / charge.refillPerMinute,
  }));
  const longest = waits.reduce((most, each) => (each.wait > most.wait ? each : most));
  return {
    admitted,
    buckets,
    dimension: longest.charge.dimension,
    unit: longest.charge.unit,
    limit: longest.charge.capacity,
    retryAfterMs: Math.max(1, Math.ceil(longest.wait)),
  };
}
