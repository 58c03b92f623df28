import { type CostlyFeature, findOwn, type ServiceTier } from '@tollgate/vocabulary';
import { findFeature } from './asked.ts';
import type { CostRules, DrawingModel, OfferedTool, ServedFeatures } from './costs.ts';

/** Whether a model does this for money or for nothing. What answers do not tell the use of is not sold. */
const isServed = ({ told }: CostRules, feature: CostlyFeature, { free, priced }: ServedFeatures): boolean =>
  free.has(feature) || (priced.has(feature) && told.includes(feature));

/** Whether what a field asks for is served: of tiers and regions each has a price of its own. */
export function isValueServed(
  costs: CostRules,
  feature: CostlyFeature,
  value: unknown,
  served: ServedFeatures,
): boolean {
  if (!isServed(costs, feature, served)) return false;
  if (served.free.has(feature)) return true;
  switch (feature) {
    case 'service_tier':
    case 'speed': {
      const tier = findAskedTier(costs, feature, value);
      return tier !== undefined && served.serviceTiers.has(tier);
    }
    case 'inference_geo':
      return typeof value === 'string' && served.regions.has(value);
    default:
      return true;
  }
}

/** The tier that a value of a request asks for; undefined for one that nobody knows. */
export function findAskedTier(
  { tiers }: CostRules,
  feature: 'service_tier' | 'speed',
  value: unknown,
): ServiceTier | undefined {
  const word = String(value).toLowerCase();
  if (feature === 'speed') return word === 'fast' ? 'fast' : undefined;
  return findOwn(tiers, word);
}

/** Whether a tool of the vendor is served. One that draws needs a model with a price, and the whole answer names but one. */
export function isToolServed(
  costs: CostRules,
  tool: OfferedTool,
  offered: readonly OfferedTool[],
  served: ServedFeatures,
): boolean {
  const feature = findFeature(costs, tool.type);
  if (!isServed(costs, feature, served)) return false;
  if (feature !== 'image_generation' || served.free.has(feature)) return true;
  const model = findDrawingModel(tool, served);
  const first = offered.find(({ type }) => findFeature(costs, type) === feature);
  return model !== undefined && model === findDrawingModel(first ?? tool, served);
}

/** The model that a tool draws with; undefined where it names one that is not sold. */
export const findDrawingModel = (
  { model }: OfferedTool,
  { drawingModels }: ServedFeatures,
): DrawingModel | undefined =>
  model === undefined ? drawingModels[0] : drawingModels.find(({ name }) => name === model);
