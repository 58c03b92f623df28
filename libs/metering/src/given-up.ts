import type { BilledExtras, ExtrasBound } from '@tollgate/protocols';
import {
  type CostlyFeature,
  FEATURE_UNITS,
  INPUT_TOKEN_KINDS,
  OUTPUT_TOKEN_KINDS,
  sumTokens,
  type TokenCounts,
  type TokenKind,
  UNIT_KINDS,
  type UnitKind,
} from '@tollgate/vocabulary';
import type { Metered } from './meter.ts';
import type { UsageBound } from './within-bound.ts';

/** What is held for a request beside its tokens. */
export interface HeldExtras {
  readonly extras: ExtrasBound | undefined;
  /** What the model does without a charge: nothing is held for it. */
  readonly free: ReadonlySet<CostlyFeature>;
  /** The most expensive way in which it may be served, where that costs more than the standard one. */
  readonly costliest: Pick<BilledExtras, 'serviceTier' | 'region'>;
}

/**
 * What is charged when a client left and its answer was given up before its usage was known: all the output that the request
 * can have, its input as the upstream told it, or else all the input that it can have, and what was held for tools, drawings,
 * the units of a task, the tier and the region. That is never less than staying would have cost, and never more than was held. Usage that the
 * upstream reported in full is not changed.
 */
export function chargeGivenUp(metered: Metered, bound: UsageBound, held: HeldExtras): Metered {
  const { tokens, source, extras } = metered;
  if (source === 'upstream') return metered;
  const withInput = source === 'partial' ? tokens : raised(tokens, 'input', INPUT_TOKEN_KINDS, bound.input);
  return {
    tokens: raised(withInput, bound.writes ?? 'output', OUTPUT_TOKEN_KINDS, bound.output),
    source,
    ...(held.extras ? { extras: raisedExtras(extras, source, { ...held, extras: held.extras }) } : {}),
  };
}

function raised(tokens: TokenCounts, kind: TokenKind, kinds: readonly TokenKind[], to: number): TokenCounts {
  const missing = to - sumTokens(tokens, kinds);
  return missing > 0 ? { ...tokens, [kind]: (tokens[kind] ?? 0) + missing } : tokens;
}

/** The features that units belong to; those of tasks belong to none. */
const UNIT_FEATURES: ReadonlyMap<UnitKind, CostlyFeature> = new Map(
  Object.entries(FEATURE_UNITS).map(([feature, kind]) => [kind, feature as CostlyFeature]),
);

function raisedExtras(
  seen: BilledExtras | undefined,
  source: Metered['source'],
  { extras: { units: held, drawing }, free, costliest }: HeldExtras & { readonly extras: ExtrasBound },
): BilledExtras {
  const units: Partial<Record<UnitKind, number>> = { ...seen?.units };
  for (const kind of UNIT_KINDS) {
    const feature = UNIT_FEATURES.get(kind);
    const bound = feature !== undefined && free.has(feature) ? 0 : (held[kind] ?? 0);
    if (bound > (units[kind] ?? 0)) units[kind] = bound;
  }
  return {
    ...seen,
    // Who tells the usage before the end tells the tier and the region with it.
    ...(source === 'partial' || seen?.serviceTier !== undefined
      ? {}
      : { serviceTier: costliest.serviceTier }),
    ...(source === 'partial' || seen?.region !== undefined ? {} : { region: costliest.region }),
    units,
    ...(drawing && drawing.images > 0
      ? {
          others: [{ model: drawing.model, counts: { input: drawing.input, output_image: drawing.output } }],
        }
      : {}),
  };
}
