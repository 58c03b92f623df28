import type { BilledExtras, ExtrasBound } from '@tollgate/protocols';
import {
  type CostlyFeature,
  type Counts,
  type MeterKind,
  type ServiceTier,
  TOKEN_KINDS,
  type TokenCounts,
  UNIT_KINDS,
  type UnitKind,
} from '@tollgate/vocabulary';
import { withinBound } from './within-bound.ts';

/** What of an answer's extras may be charged. */
export interface ChargeableExtras {
  readonly serviceTier: ServiceTier | undefined;
  readonly region: string | undefined;
  readonly units: Readonly<Partial<Record<UnitKind, number>>>;
  /** What other models did for it, by their names in the catalogue. */
  readonly others: readonly { readonly model: string; readonly counts: Counts }[];
  /** What of it we counted ourselves. */
  readonly counted: readonly MeterKind[];
  /** More was said than the request asked for, or than anybody has a price for. */
  readonly beyond: boolean;
}

const NOTHING: ChargeableExtras = {
  serviceTier: undefined,
  region: undefined,
  units: {},
  others: [],
  counted: [],
  beyond: false,
};

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
  const { serviceTier, region, counted = [] } = extras;
  const isTierAsked =
    serviceTier !== undefined &&
    (free.has(serviceTier === 'fast' ? 'speed' : 'service_tier') ||
      bound?.serviceTiers.includes(serviceTier) === true);
  const isRegionAsked = region !== undefined && (free.has('inference_geo') || bound?.region === region);
  beyond ||= serviceTier !== undefined && !isTierAsked;
  beyond ||= region !== undefined && !isRegionAsked;
  const drawn = drawnWithinBound(extras, bound, free);
  beyond ||= drawn.beyond;
  return {
    serviceTier: isTierAsked ? serviceTier : undefined,
    region: isRegionAsked ? region : undefined,
    units,
    others: drawn.others,
    counted: [...counted, ...drawn.counted],
    beyond,
  };
}

/** What the model drew that the request asked for; any other is neither held nor charged. */
function drawnWithinBound(
  { others = [], pictures = 0 }: BilledExtras,
  bound: ExtrasBound | undefined,
  free: ReadonlySet<CostlyFeature>,
): Pick<ChargeableExtras, 'others' | 'counted' | 'beyond'> {
  const drawing = bound?.drawing;
  if (free.has('image_generation')) return { others: [], counted: [], beyond: false };
  // Pictures alone are the work of a model that draws itself.
  if (!drawing) return { others: [], counted: [], beyond: others.length > 0 };
  const { model } = drawing;
  if (others.length === 0) {
    const images = Math.min(pictures, drawing.images);
    const counts = { output_image: images * drawing.outputOfImage };
    return {
      others: images > 0 ? [{ model, counts }] : [],
      counted: images > 0 ? ['output_image'] : [],
      beyond: pictures > images,
    };
  }
  const counts: TokenCounts = {};
  // Vendors answer the name of a version to that of a family.
  const own = others.filter((other) => other.model?.startsWith(model) ?? true);
  for (const other of own)
    for (const kind of TOKEN_KINDS)
      if (other.counts[kind]) counts[kind] = (counts[kind] ?? 0) + (other.counts[kind] ?? 0);
  const within = withinBound(counts, { input: drawing.input, output: drawing.output, textOnly: false });
  return {
    others: Object.keys(within.tokens).length > 0 ? [{ model, counts: within.tokens }] : [],
    counted: [],
    beyond: within.beyond || own.length < others.length,
  };
}
