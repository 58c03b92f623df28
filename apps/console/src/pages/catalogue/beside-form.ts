import {
  COSTLY_FEATURES,
  type CostlyFeature,
  FEATURE_UNITS,
  SERVICE_TIERS,
  type ServiceTier,
  UNIT_KINDS,
  type UnitKind,
} from '@tollgate/vocabulary';
import type { Model } from '../../api/catalogue.ts';
import { parseUnitPrice, toUnitPrice } from '../../shared/unit-scale.ts';

type PricedTier = Exclude<ServiceTier, 'standard'>;
export const PRICED_TIERS = SERVICE_TIERS.filter((tier): tier is PricedTier => tier !== 'standard');

/** What of a vendor's features can be sold at a price. */
export const PRICED_FEATURES: readonly CostlyFeature[] = [
  ...(Object.keys(FEATURE_UNITS) as (keyof typeof FEATURE_UNITS)[]),
  'service_tier',
  'speed',
  'inference_geo',
  'image_generation',
];

/** What a model charges beside tokens, as its form holds it: all of it texts, empty where nothing is stated. */
export interface BesideForm {
  readonly unitPrices: Readonly<Record<UnitKind, string>>;
  readonly serviceTiers: Readonly<Record<PricedTier, string>>;
  readonly regions: readonly { readonly name: string; readonly ratio: string }[];
  readonly pricedFeatures: readonly CostlyFeature[];
  readonly freeFeatures: readonly CostlyFeature[];
  /** What its tool for pictures draws with. */
  readonly imageModels: readonly string[];
}

type Beside = Pick<Model, 'unit_prices' | 'service_tiers' | 'regions' | 'features' | 'image_models'>;

export const toBesideForm = ({
  unit_prices = {},
  service_tiers = {},
  regions = {},
  features = {},
  image_models = [],
}: Beside): BesideForm => ({
  unitPrices: toRecord(UNIT_KINDS, (kind) => {
    const price = unit_prices[kind];
    return price === undefined ? '' : toUnitPrice(kind, price);
  }),
  serviceTiers: toRecord(PRICED_TIERS, (tier) => service_tiers[tier] ?? ''),
  regions: Object.entries(regions).map(([name, ratio]) => ({ name, ratio })),
  pricedFeatures: COSTLY_FEATURES.filter((feature) => features[feature] === 'priced'),
  freeFeatures: COSTLY_FEATURES.filter((feature) => features[feature] === 'free'),
  imageModels: image_models,
});

/** What a form without faults states; nothing that is empty. */
export function toBeside(form: BesideForm): Beside {
  const units = UNIT_KINDS.flatMap((kind): [UnitKind, number][] => {
    const price = parseUnitPrice(kind, form.unitPrices[kind]);
    return price === undefined ? [] : [[kind, price]];
  });
  const tiers = PRICED_TIERS.map((tier): [PricedTier, string] => [
    tier,
    form.serviceTiers[tier].trim(),
  ]).filter(([, ratio]) => ratio !== '');
  const regions = form.regions.map(({ name, ratio }): [string, string] => [name.trim(), ratio.trim()]);
  const features = [
    ...form.pricedFeatures.map((feature) => [feature, 'priced'] as const),
    ...form.freeFeatures.map((feature) => [feature, 'free'] as const),
  ];
  return {
    ...(units.length === 0 ? {} : { unit_prices: Object.fromEntries(units) }),
    ...(tiers.length === 0 ? {} : { service_tiers: Object.fromEntries(tiers) }),
    ...(regions.length === 0 ? {} : { regions: Object.fromEntries(regions) }),
    ...(features.length === 0 ? {} : { features: Object.fromEntries(features) }),
    ...(form.imageModels.length === 0 ? {} : { image_models: [...form.imageModels] }),
  };
}

export type BesideFault =
  | 'unitPriceRequired'
  | 'unitOfFeature'
  | 'timesRequired'
  | 'tierOfFeature'
  | 'speedOfFeature'
  | 'regionRequired'
  | 'regionTwice'
  | 'regionOfFeature'
  | 'imageModelOfFeature'
  | 'pricedAndFree';

const TIMES = /^\d{1,3}(\.\d{1,3})?$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/;

/** What is wrong in a form, by the path of the field. */
export function besideFaults(form: BesideForm): Record<string, BesideFault> {
  return { ...featureFaults(form), ...priceFaults(form) };
}

/** What is sold has a price. */
function featureFaults({
  unitPrices,
  serviceTiers,
  regions,
  ...form
}: BesideForm): Record<string, BesideFault> {
  const faults: Record<string, BesideFault> = {};
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

/** Prices and ratios are such. */
function priceFaults({ unitPrices, serviceTiers, regions }: BesideForm): Record<string, BesideFault> {
  const faults: Record<string, BesideFault> = {};
  for (const kind of UNIT_KINDS)
    if (unitPrices[kind].trim() !== '' && parseUnitPrice(kind, unitPrices[kind]) === undefined)
      faults[`unitPrices.${kind}`] = 'unitPriceRequired';
  for (const tier of PRICED_TIERS)
    if (serviceTiers[tier].trim() !== '' && !TIMES.test(serviceTiers[tier].trim()))
      faults[`serviceTiers.${tier}`] = 'timesRequired';
  regions.forEach(({ name, ratio }, index) => {
    if (!NAME.test(name.trim())) faults[`regions.${index}.name`] = 'regionRequired';
    else if (regions.findIndex((each) => each.name.trim() === name.trim()) < index)
      faults[`regions.${index}.name`] = 'regionTwice';
    if (!TIMES.test(ratio.trim())) faults[`regions.${index}.ratio`] = 'timesRequired';
  });
  return faults;
}

const toRecord = <K extends string>(keys: readonly K[], textOf: (key: K) => string): Record<K, string> =>
  Object.fromEntries(keys.map((key) => [key, textOf(key)])) as Record<K, string>;
