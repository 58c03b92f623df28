import { listUnitLimits, type RateLimit } from '@tollgate/catalogue';

export type LimitDimension =
  | 'client'
  | 'key'
  | 'account'
  | 'group'
  | 'model'
  | 'route'
  | 'upstream'
  | 'credential';
/** What is counted beside tokens. */
type UnitKind = keyof NonNullable<RateLimit['units_per_minute']>;
/** What a bucket holds. */
type BucketUnit = 'requests' | 'tokens' | UnitKind;
export type LimitUnit = BucketUnit | 'concurrent';

/** One token bucket and what a request takes from it. */
export interface TokenBucketCharge {
  /** The bucket's name in Redis. */
  readonly key: string;
  readonly dimension: LimitDimension;
  readonly unit: BucketUnit;
  /** What a full bucket holds. */
  readonly capacity: number;
  readonly refillPerMinute: number;
  readonly cost: number;
}

/** One of so many requests at once: the slot is the request's until it is released. */
export interface SlotCharge {
  /** The name in Redis of the set of slots that are taken. */
  readonly key: string;
  readonly dimension: LimitDimension;
  readonly unit: 'concurrent';
  /** How many slots there are. */
  readonly capacity: number;
  /** Unlike that of every other request on any gateway. */
  readonly slot: string;
}

export type Charge = TokenBucketCharge | SlotCharge;

/** How a limit stands after the request. */
export interface BucketState {
  readonly dimension: LimitDimension;
  readonly unit: LimitUnit;
  readonly limit: number;
  /** Below zero while a request larger than the bucket is being paid off. */
  readonly remaining: number;
  /** Until the bucket is full again; of slots nobody knows, and it is zero. */
  readonly resetMs: number;
}

export type Admission =
  | { readonly admitted: true; readonly buckets: readonly BucketState[] }
  | {
      readonly admitted: false;
      readonly buckets: readonly BucketState[];
      /** The limit that blocks longest. */
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

/** The end of a request that had a slot. */
export interface SlotRelease {
  readonly key: string;
  readonly slot: string;
}

export type Correction = BucketCorrection | SlotRelease;

export interface Limiter {
  /** Takes every charge, or none when one limit leaves too little. An empty list asks nobody. */
  admit(charges: readonly Charge[]): Promise<Admission>;
  settle(corrections: readonly Correction[]): Promise<void>;
}

/** What a request takes of each bucket; what it is not charged with by then is corrected once it is known. */
export interface RequestCost extends Readonly<Partial<Record<UnitKind, number>>> {
  readonly requests: number;
  readonly tokens: number;
}

export const MINUTE_MS = 60_000;
/** Nobody knows when a request ends: whoever finds no slot may ask again after so long. */
const SLOT_WAIT_MS = 1_000;

/**
 * The charges of one scope's limits. A minute's figure may be taken in one burst and refills evenly.
 *
 * @param scope what is limited; the id is part of the names in Redis, `tollgate:tb:{dimension:id}:unit`, whose braces
 *   keep all limits of a scope in one slot of a cluster.
 * @param of what the request takes; 0 of units that it may use, and of which nobody knows how many yet.
 * @param slot the request's own name; without one it counts in no limit of requests at once.
 */
export function rateLimitCharges(
  scope: LimitScope,
  limit: RateLimit,
  of: RequestCost,
  slot?: string,
): Charge[] {
  const { requests_per_minute: requests, tokens_per_minute: tokens, concurrent_requests: max } = limit;
  const { dimension } = scope;
  const keys = findKeys(scope);
  const charges: Charge[] = [];
  for (const unit of BUCKETS) {
    const capacity = unit === 'requests' ? requests : tokens;
    if (capacity === null || capacity === undefined) continue;
    const key = keys[unit];
    charges.push({ key, dimension, unit, capacity, refillPerMinute: capacity, cost: of[unit] });
  }
  if (limit.units_per_minute)
    for (const { kind, perMinute: capacity } of listUnitLimits(limit)) {
      const cost = of[kind];
      // What has nothing to do with these is not kept waiting by those who used them up.
      if (cost === undefined) continue;
      const key = `${keys.begin}${kind}`;
      charges.push({ key, dimension, unit: kind, capacity, refillPerMinute: capacity, cost });
    }
  if (slot !== undefined && max !== null && max !== undefined)
    charges.push({ key: keys.concurrent, dimension, unit: 'concurrent', capacity: max, slot });
  return charges;
}

const BUCKETS = ['requests', 'tokens'] as const;

/** The same scopes are charged again and again: their names are made once, as long as there are not too many. */
const MAX_NAMED = 10_000;
type Names = Readonly<Record<(typeof BUCKETS)[number] | 'concurrent' | 'begin', string>>;
const named = new Map<LimitDimension, Map<string, Names>>();

function findKeys({ dimension, id }: LimitScope): Names {
  const ofDimension = named.get(dimension) ?? new Map<string, Names>();
  const known = ofDimension.get(id);
  if (known) return known;
  const begin = `tollgate:tb:{${dimension}:${id}}:`;
  const keys = {
    begin,
    requests: `${begin}requests`,
    tokens: `${begin}tokens`,
    concurrent: `${begin}concurrent`,
  };
  if (ofDimension.size >= MAX_NAMED) ofDimension.clear();
  named.set(dimension, ofDimension.set(id, keys));
  return keys;
}

interface LimitScope {
  readonly dimension: LimitDimension;
  readonly id: string;
}

export const isSlotCharge = (charge: Charge): charge is SlotCharge => charge.unit === 'concurrent';
export const isSlotRelease = (correction: Correction): correction is SlotRelease => 'slot' in correction;

/**
 * What a limit must leave before a charge is taken. A charge above the capacity waits for a full bucket and leaves a
 * debt: a huge prompt is slow, never impossible. A charge of nothing waits only until the debt is paid.
 */
export const needed = (charge: Charge): number =>
  isSlotCharge(charge) ? 1 : Math.min(charge.cost, charge.capacity);

/** The answer to a request, from what its limits leave (after the charge when it was taken, as found when not). */
export function toAdmission(
  charges: readonly Charge[],
  levels: readonly number[],
  admitted: boolean,
): Admission {
  const buckets = charges.map((charge, index): BucketState => {
    const level = levels[index] ?? charge.capacity;
    const { dimension, unit, capacity: limit } = charge;
    const resetMs = isSlotCharge(charge)
      ? 0
      : Math.max(0, Math.ceil(((limit - level) * MINUTE_MS) / charge.refillPerMinute));
    return { dimension, unit, limit, remaining: Math.floor(level), resetMs };
  });
  if (admitted) return { admitted, buckets };
  const waits = charges.map((charge, index) => ({
    charge,
    wait: waitFor(charge, levels[index] ?? charge.capacity),
  }));
  const longest = waits.reduce((longest, each) => (each.wait > longest.wait ? each : longest));
  return {
    admitted,
    buckets,
    dimension: longest.charge.dimension,
    unit: longest.charge.unit,
    limit: longest.charge.capacity,
    retryAfterMs: Math.max(1, Math.ceil(longest.wait)),
  };
}

function waitFor(charge: Charge, level: number): number {
  const missing = needed(charge) - level;
  if (isSlotCharge(charge)) return missing > 0 ? SLOT_WAIT_MS : -Infinity;
  return (missing * MINUTE_MS) / charge.refillPerMinute;
}
