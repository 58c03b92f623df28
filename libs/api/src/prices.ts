import { modelSchema } from '@tollgate/catalogue';
import { FIELD_RULES, MODEL_OPERATIONS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { timestamp } from './common.ts';
import { defineResource, PUBLIC } from './route.ts';

const PRICE_UNIT = z.literal('micro-USD per million tokens');
const REQUEST_PRICE_UNIT = z.literal('micro-USD per request');
const UNIT_PRICE_UNIT = z.literal('micro-USD per million units');

const ratio = z.number().meta({ description: 'An exact decimal, written as a JSON number' });
const { prices, tiers, request_price, unit_prices, service_tiers, regions, features, image_models } =
  modelSchema.shape;
/** Every kind of token has a price, and every answer names all of these. */
const priceList = {
  prices,
  tiers: tiers.unwrap(),
  request_price: request_price.unwrap(),
  unit_prices: unit_prices.unwrap().meta({ description: 'What is charged beside tokens, by kind of unit' }),
  service_tiers: service_tiers
    .unwrap()
    .meta({ description: 'What tokens cost in other service tiers, as a share of their prices' }),
  regions: regions
    .unwrap()
    .meta({ description: 'What tokens cost in regions that are priced apart, as a share of their prices' }),
};

const pricedModel = z
  .object({
    model_name: z.string(),
    description: z.string(),
    tags: z.string().meta({ description: 'Separated by commas' }),
    vendor_id: z.int(),
    owner_by: z.string().meta({ description: 'The name of its vendor' }),
    quota_type: z.union([z.literal(0), z.literal(1)]).meta({
      description: '1 for a model that is paid by the request alone, at `model_price` USD',
    }),
    model_price: ratio,
    model_ratio: ratio,
    completion_ratio: ratio,
    cache_ratio: ratio,
    create_cache_ratio: ratio,
    image_ratio: ratio,
    audio_ratio: ratio,
    audio_completion_ratio: ratio,
    enable_groups: z.array(z.string()),
    supported_endpoint_types: z.array(z.string()),
    operations: z.array(z.enum(MODEL_OPERATIONS)).meta({ description: 'What the model is for' }),
    context_window: z.int().nullable(),
    max_output_tokens: z.int().nullable(),
    ...priceList,
    features: features.unwrap().meta({
      description:
        'What a vendor charges beside tokens is served where it is `priced` or `free`, and else not',
    }),
    image_models: z
      .array(image_models.unwrap().element)
      .meta({ description: 'What its tool for pictures draws with, at their own prices' }),
  })
  .meta({ id: 'PricedModel' });

const priceBook = z
  .object({
    success: z.literal(true),
    data: z.array(pricedModel),
    vendors: z.array(z.object({ id: z.int(), name: z.string(), description: z.string(), icon: z.string() })),
    group_ratio: z.record(z.string(), ratio),
    usable_group: z.record(z.string(), z.string()).meta({ description: 'What each group is, by its name' }),
    supported_endpoint: z.record(z.string(), z.object({ path: z.string(), method: z.string() })),
    auto_groups: z.array(z.string()),
    pricing_version: z.string().meta({ description: 'The hash of the version' }),
    snapshot_version: z.int(),
    published_at: timestamp,
    price_unit: PRICE_UNIT,
    request_price_unit: REQUEST_PRICE_UNIT,
    unit_price_unit: UNIT_PRICE_UNIT,
  })
  .meta({
    id: 'PriceBook',
    description: 'What clients of such relays read, with exact integers beside the ratios',
  });

const pricePoint = z
  .object({
    version: z.int(),
    published_at: timestamp,
    group_ratio: z
      .string()
      .nullable()
      .meta({ description: 'What the group pays of the list price; null where there is no such group' }),
    prices: prices.nullable().meta({ description: 'Null while the model is not offered to the group' }),
    tiers: priceList.tiers,
    request_price: priceList.request_price,
    unit_prices: priceList.unit_prices,
    service_tiers: priceList.service_tiers,
    regions: priceList.regions,
  })
  .meta({ id: 'PricePoint', description: 'What a model cost from a version on, until the next point' });

const priceHistory = z
  .object({
    model: z.string(),
    group: z.string(),
    price_unit: PRICE_UNIT,
    request_price_unit: REQUEST_PRICE_UNIT,
    unit_price_unit: UNIT_PRICE_UNIT,
    snapshot_version: z.int(),
    points: z.array(pricePoint).meta({ description: 'Oldest first' }),
  })
  .meta({ id: 'PriceHistory' });

const JSON_TYPE = 'application/json; charset=utf-8';
const held = 'Its ETag tells when it changed: `if-none-match` is answered with 304 until then.';
const tooMany = {
  429: 'Too many requests for prices from one address: `retry-after` says when to ask again.',
};

export const publicPrices = defineResource({
  listPrices: {
    method: 'GET',
    path: '/api/pricing',
    summary: 'Tell what everything costs',
    description: held,
    permission: PUBLIC,
    query: z.object({
      version: z
        .string()
        .regex(/^(?:\d{1,9}|[0-9a-f]{64})$/, FIELD_RULES.not_a_version)
        .optional()
        .meta({
          description: 'A version by its number or its hash; without it the newest',
          examples: ['12'],
        }),
    }),
    answer: { contentType: JSON_TYPE, schema: priceBook },
    errors: { 404: 'There is no such version, or none at all yet.', ...tooMany },
  },
  showPriceHistory: {
    method: 'GET',
    path: '/api/pricing/history',
    summary: 'Tell what a model has cost',
    description: `Every version at which its price in a group changed. ${held}`,
    permission: PUBLIC,
    query: z.object({
      model: modelSchema.shape.name.meta({ examples: ['acme-large'] }),
      group: z
        .string()
        .min(1)
        .max(128)
        .default('default')
        .meta({ description: 'The group whose prices are told', examples: ['default'] }),
    }),
    answer: { contentType: JSON_TYPE, schema: priceHistory },
    errors: { 404: 'There never was such a model.', ...tooMany },
  },
});
