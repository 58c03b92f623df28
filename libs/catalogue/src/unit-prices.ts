import { type CostlyFeature, FEATURE_UNITS, UNIT_KINDS, type UnitKind } from '@tollgate/vocabulary';
import type { PriceTerms } from './price.ts';
import type { Model } from './schema.ts';

/** The feature that a unit belongs to. */
const UNIT_FEATURES: Readonly<Partial<Record<UnitKind, CostlyFeature>>> = Object.fromEntries(
  Object.entries(FEATURE_UNITS).map(([feature, kind]) => [kind, feature]),
);

/** The price of a unit; nothing for what the model's features give away, and undefined for what has no price. */
export function findUnitPrice(
  { unit_prices, features }: Pick<PriceTerms, 'unit_prices'> & Pick<Model, 'features'>,
  kind: UnitKind,
): number | undefined {
  const feature = UNIT_FEATURES[kind];
  return unit_prices?.[kind] ?? (feature !== undefined && features?.[feature] === 'free' ? 0 : undefined);
}

/** What a model is priced by, with the units that it gives away. */
export function toPriceTerms<T extends PriceTerms & Pick<Model, 'features'>>(model: T): T {
  if (!model.features) return model;
  const free = UNIT_KINDS.filter(
    (kind) => model.unit_prices?.[kind] === undefined && findUnitPrice(model, kind) === 0,
  );
  if (free.length === 0) return model;
  return {
    ...model,
    unit_prices: { ...Object.fromEntries(free.map((kind) => [kind, 0])), ...model.unit_prices },
  };
}
