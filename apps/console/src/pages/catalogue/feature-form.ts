import { COSTLY_FEATURES, type CostlyFeature, FEATURE_UNITS, type FeatureTerms } from '@tollgate/vocabulary';
import type { Model } from '../../api/catalogue.ts';
import { PRICED_TIERS, type PriceListForm } from './price-list-form.ts';

/** What of a vendor's features can be sold at a price. */
export const PRICED_FEATURES: readonly CostlyFeature[] = [
  ...(Object.keys(FEATURE_UNITS) as (keyof typeof FEATURE_UNITS)[]),
  'service_tier',
  'speed',
  'inference_geo',
  'image_generation',
];

/** Which of a vendor's features a model sells, as its form holds them. */
export interface FeatureForm {
  readonly pricedFeatures: readonly CostlyFeature[];
  readonly freeFeatures: readonly CostlyFeature[];
  /** Said to be neither, which goes without saying: it is kept. */
  readonly unpricedFeatures: readonly CostlyFeature[];
  /** What its tool for pictures draws with. */
  readonly imageModels: readonly string[];
}

type Features = Pick<Model, 'features' | 'image_models'>;

export function toFeatureForm({ features = {}, image_models = [] }: Features): FeatureForm {
  const listOn = (terms: FeatureTerms) => COSTLY_FEATURES.filter((feature) => features[feature] === terms);
  return {
    pricedFeatures: listOn('priced'),
    freeFeatures: listOn('free'),
    unpricedFeatures: listOn('unpriced'),
    imageModels: image_models,
  };
}

/** What a form without faults states; nothing that is empty. */
export function toFeatures(form: FeatureForm): Features {
  const features = [
    ...form.unpricedFeatures.map((feature) => [feature, 'unpriced'] as const),
    ...form.pricedFeatures.map((feature) => [feature, 'priced'] as const),
    ...form.freeFeatures.map((feature) => [feature, 'free'] as const),
  ];
  return {
    ...(features.length === 0 ? {} : { features: Object.fromEntries(features) }),
    ...(form.imageModels.length === 0 ? {} : { image_models: [...form.imageModels] }),
  };
}

export type FeatureFault =
  | 'unitOfFeature'
  | 'tierOfFeature'
  | 'speedOfFeature'
  | 'regionOfFeature'
  | 'imageModelOfFeature'
  | 'pricedAndFree';

/** What is sold has a price. */
export function featureFaults({
  unitPrices,
  serviceTiers,
  regions,
  ...form
}: FeatureForm & PriceListForm): Record<string, FeatureFault> {
  const faults: Record<string, FeatureFault> = {};
  for (const feature of form.pricedFeatures) {
    const unit = feature in FEATURE_UNITS ? FEATURE_UNITS[feature as keyof typeof FEATURE_UNITS] : undefined;
    if (unit !== undefined && unitPrices[unit].trim() === '') faults[`unitPrices.${unit}`] = 'unitOfFeature';
    if (feature === 'speed' && serviceTiers.fast.trim() === '')
      faults['serviceTiers.fast'] = 'speedOfFeature';
    const others = PRICED_TIERS.filter((tier) => tier !== 'fast');
    if (feature === 'service_tier' && others.every((tier) => serviceTiers[tier].trim() === ''))
      faults['serviceTiers.priority'] = 'tierOfFeature';
    if (feature === 'image_generation' && form.imageModels.length === 0)
      faults['imageModels'] = 'imageModelOfFeature';
    if (feature === 'inference_geo' && regions.length === 0) faults['pricedFeatures'] = 'regionOfFeature';
  }
  if (form.freeFeatures.some((feature) => form.pricedFeatures.includes(feature)))
    faults['freeFeatures'] = 'pricedAndFree';
  return faults;
}
