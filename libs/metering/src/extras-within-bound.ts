import type { BilledExtras, ExtrasBound } from '@tollgate/protocols';
import { type CostlyFeature, type ServiceTier, UNIT_KINDS, type UnitKind } from '@tollgate/vocabulary';

/** What of an answer's extras may be charged. */
export interface ChargeableExtras {
  readonly serviceTier: ServiceTier | undefined;
  readonly region: string | undefined;
  readonly units: Readonly<Partial<Record<UnitKind, number>>>;
  /** More was said than the request asked for, or than anybody has a price for. */
  readonly beyond: boolean;
}

const NOTHING: ChargeableExtras = { serviceTier: undefined, region: undefined, units: {}, beyond: false };

/**
 * Cuts what an answer says beside its tokens down to what its request asked for: a tier, a region, a search that nobody asked
 * for is not held, so it is not charged.
 *
 * @param bound absent where the request asked for nothing of the kind.
 * @param free what the model does without a charge: nothing of that is beyond.
 */
export function extrasWithinBound(
  extras: BilledExtras | undefined,
  bound: ExtrasBound | undefined,
  free: ReadonlySet<CostlyFeature>,
): ChargeableExtras {
  if (extras === undefined) return NOTHING;
  const units: Partial<Record<UnitKind, number>> = {};
  let beyond = extras.unknownTier !== undefined && !free.has('service_tier');
  for (const kind of UNIT_KINDS) {
    const reported = extras.units?.[kind] ?? 0;
    const taken = Math.min(reported, bound?.units[kind] ?? 0);
    if (taken > 0) units[kind] = taken;
    beyond ||= taken < reported;
  }
  const { serviceTier, region, others = [] } = extras;
  const isTierAsked =
    serviceTier !== undefined &&
    (free.has(serviceTier === 'fast' ? 'speed' : 'service_tier') ||
      bound?.serviceTiers.includes(serviceTier) === true);
  const isRegionAsked = region !== undefined && (free.has('inference_geo') || bound?.region === region);
  beyond ||= serviceTier !== undefined && !isTierAsked;
  beyond ||= region !== undefined && !isRegionAsked;
  beyond ||= others.length > 0 && !free.has('image_generation');
  return {
    serviceTier: isTierAsked ? serviceTier : undefined,
    region: isRegionAsked ? region : undefined,
    units,
    beyond,
  };
}
