import { queryOptions } from '@tanstack/react-query';
import { pricingPriceHistoryControllerGet } from './generated/sdk/pricing-price-history.gen.ts';
import { pricingPublicPricingControllerGet } from './generated/sdk/pricing-public-pricing.gen.ts';
import { bodyOf } from './result.ts';

/** Micro-USD per million tokens by kind of token. */
export type Prices = Readonly<Record<string, number>>;

export interface PricedModel {
  readonly model_name: string;
  readonly description: string;
  /** Separated by commas. */
  readonly tags: string;
  readonly owner_by: string;
  readonly enable_groups: readonly string[];
  readonly supported_endpoint_types: readonly string[];
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
  readonly prices: Prices;
  readonly tiers: readonly { readonly above_input_tokens: number; readonly prices: Prices }[];
  /** Micro-USD. */
  readonly request_price: number;
}

export interface PriceBook {
  readonly data: readonly PricedModel[];
  readonly vendors: readonly { readonly id: number; readonly name: string; readonly description: string }[];
  readonly group_ratio: Readonly<Record<string, number>>;
  readonly usable_group: Readonly<Record<string, string>>;
  readonly supported_endpoint: Readonly<Record<string, { readonly path: string; readonly method: string }>>;
  readonly snapshot_version: number;
  readonly published_at: string;
}

/** The prices of now. */
export const pricesQuery = queryOptions({
  queryKey: ['prices', 'newest'],
  queryFn: ({ signal }) => bodyOf<PriceBook>(pricingPublicPricingControllerGet({ signal })),
  staleTime: 60_000,
});

/** The prices of a version, which never change. */
export const pricesAtQuery = (version: number) =>
  queryOptions({
    queryKey: ['prices', version],
    queryFn: ({ signal }) =>
      bodyOf<PriceBook>(pricingPublicPricingControllerGet({ query: { version: String(version) }, signal })),
    staleTime: Infinity,
  });

/** What a model cost from a version on, until the next point. */
export interface PricePoint {
  readonly version: number;
  readonly published_at: string;
  /** Decimal text; null while the model is not offered. */
  readonly group_ratio: string | null;
  readonly prices: Prices | null;
}

interface PriceHistory {
  /** Oldest first. */
  readonly points: readonly PricePoint[];
}

export const priceHistoryQuery = (model: string, group: string) =>
  queryOptions({
    queryKey: ['prices', 'history', model, group],
    queryFn: ({ signal }) =>
      bodyOf<PriceHistory>(pricingPriceHistoryControllerGet({ query: { model, group }, signal })),
    staleTime: 60_000,
  });
