import type { modelInputSchema, PricesInput } from '@tollgate/catalogue';
import { type CostlyFeature, FEATURE_UNITS } from '@tollgate/vocabulary';
import type { z } from 'zod';

type ModelInput = z.input<typeof modelInputSchema>;

/** The part of a model that says what it costs. */
export interface ModelPrices extends Pick<
  ModelInput,
  'request_price' | 'unit_prices' | 'service_tiers' | 'regions' | 'features'
> {
  prices: PricesInput;
  tiers?: { above_input_tokens: number; prices: PricesInput }[];
}

/** Other relays serve whatever a vendor has: here what has a price is sold at it, and what has none is not served. */
export function sellWhatIsPriced({
  unit_prices = {},
  service_tiers = {},
  regions = {},
  ...list
}: ModelPrices): ModelPrices {
  const tiers = Object.keys(service_tiers);
  const sold: CostlyFeature[] = [
    ...(Object.keys(FEATURE_UNITS) as (keyof typeof FEATURE_UNITS)[]).filter(
      (feature) => unit_prices[FEATURE_UNITS[feature]] !== undefined,
    ),
    ...(tiers.some((tier) => tier !== 'fast') ? (['service_tier'] as const) : []),
    ...(tiers.includes('fast') ? (['speed'] as const) : []),
    ...(Object.keys(regions).length > 0 ? (['inference_geo'] as const) : []),
  ];
  const orNothing = <K extends string>(name: K, value: object) =>
    Object.keys(value).length === 0 ? {} : { [name]: value };
  return {
    ...list,
    ...orNothing('unit_prices', unit_prices),
    ...orNothing('service_tiers', service_tiers),
    ...orNothing('regions', regions),
    ...orNothing('features', Object.fromEntries(sold.map((feature) => [feature, 'priced']))),
  };
}
