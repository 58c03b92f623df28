import { FEATURE_UNITS, type ClientProtocol, type ServiceTier, type UnitKind } from '@tollgate/vocabulary';
import type { JsonObject } from '../json.ts';
import { CODECS } from '../registry.ts';
import type { DrawingBound, ServedFeatures } from './costs.ts';
import { listAskedFeatures, listHostedTools } from './asked.ts';
import { findAskedTier, findDrawingModel } from './served.ts';

/** The most that a request can cost beside its tokens. */
export interface ExtrasBound {
  readonly units: Readonly<Partial<Record<UnitKind, number>>>;
  /** In which it may be served beside the standard one. */
  readonly serviceTiers: readonly ServiceTier[];
  readonly region?: string | undefined;
  /** What another model may draw for it. */
  readonly drawing?: DrawingBound | undefined;
}

/** How often a tool of the vendor is held for where the request does not say how often it may run. */
const CALLS_UNSTATED: Readonly<Partial<Record<UnitKind, number>>> = {
  searches: 20,
  fetches: 20,
  file_searches: 20,
  container_sessions: 4,
};
/** More is not held, whatever a request says. */
const CALLS_MAX = 1_000;
/** Of what costs nothing as much is counted as an upstream reports. */
const FREE_UNITS_MAX = 1_000_000;

/** What a request asks for beside tokens, of a model that serves these; it has been curbed to them. */
export function boundExtras(
  protocol: ClientProtocol,
  body: JsonObject,
  served: ServedFeatures,
): ExtrasBound | undefined {
  const { free, priced } = served;
  if (free.size === 0 && priced.size === 0) return undefined;
  const { costs } = CODECS[protocol];
  const units: Partial<Record<UnitKind, number>> = {};
  const serviceTiers: ServiceTier[] = [];
  let region: string | undefined;
  let drawing: DrawingBound | undefined;
  const add = (feature: keyof typeof FEATURE_UNITS, calls: number | undefined) => {
    const kind = FEATURE_UNITS[feature];
    const max = free.has(feature)
      ? FREE_UNITS_MAX
      : Math.min(CALLS_MAX, Math.max(0, calls ?? CALLS_UNSTATED[kind] ?? 0));
    units[kind] = Math.max(units[kind] ?? 0, max);
  };
  for (const { feature, value } of listAskedFeatures(costs, body)) {
    if (feature === 'service_tier' || feature === 'speed') {
      const tier = findAskedTier(costs, feature, value);
      if (tier !== undefined && tier !== 'standard') serviceTiers.push(tier);
    } else if (feature === 'inference_geo') region = String(value).slice(0, 64);
    else if (isCounted(feature)) add(feature, undefined);
  }
  for (const { feature, tool } of listHostedTools(costs, body)) {
    const calls = costs.findCallLimit(body, tool);
    if (isCounted(feature)) add(feature, calls);
    const model =
      feature === 'image_generation' && priced.has(feature) ? findDrawingModel(tool, served) : undefined;
    if (model) drawing ??= costs.boundDrawing?.(body, tool, { model, calls });
  }
  return { units, serviceTiers, region, ...(drawing ? { drawing } : {}) };
}

const isCounted = (feature: string): feature is keyof typeof FEATURE_UNITS =>
  Object.hasOwn(FEATURE_UNITS, feature);
