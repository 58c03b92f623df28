import type { PriceBook, PricedModel } from '../api/pricing.ts';

/** A model of a price book, for tests: what they do not name is nothing. */
export const exampleModel = (of: Partial<PricedModel>): PricedModel => ({
  model_name: 'acme-large',
  description: '',
  tags: '',
  vendor_id: 1,
  owner_by: 'acme',
  quota_type: 0,
  model_price: 0,
  model_ratio: 0,
  completion_ratio: 0,
  cache_ratio: 0,
  create_cache_ratio: 0,
  image_ratio: 0,
  audio_ratio: 0,
  audio_completion_ratio: 0,
  enable_groups: ['default'],
  supported_endpoint_types: [],
  context_window: null,
  max_output_tokens: null,
  prices: {},
  tiers: [],
  request_price: 0,
  unit_prices: {},
  service_tiers: {},
  regions: {},
  features: {},
  ...of,
});

/** A price book, for tests. */
export const exampleBook = (of: Partial<PriceBook>): PriceBook => ({
  success: true,
  data: [],
  vendors: [],
  group_ratio: {},
  usable_group: {},
  supported_endpoint: {},
  auto_groups: [],
  pricing_version: '',
  snapshot_version: 1,
  published_at: '2026-11-21T00:00:00Z',
  price_unit: 'micro-USD per million tokens',
  request_price_unit: 'micro-USD per request',
  unit_price_unit: 'micro-USD per million units',
  ...of,
});
