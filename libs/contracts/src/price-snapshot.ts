import { z } from 'zod';
import { protocolSchema } from './protocol.ts';
import { rateLimitSchema } from './rate-limit.ts';
import { tokenKindSchema } from './token-kinds.ts';

const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/, 'letters, digits and ._:/@- only, at most 128');

/** Whole micro-USD per million tokens, which is the same number of pico-USD per token. */
export const priceSchema = z.int().nonnegative();

/** Every kind has its own price: what an admin leaves out is filled in before a snapshot is made. */
export const pricesSchema = z.record(tokenKindSchema, priceSchema);

/** What usage is priced by. */
const priceListShape = {
  prices: pricesSchema,
  /** From a context length on, other prices for the whole request; ascending, the last one that is passed holds. */
  tiers: z
    .array(z.strictObject({ above_input_tokens: z.int().positive(), prices: pricesSchema }))
    .max(8)
    .default([]),
  /** Micro-USD for every request, beside its tokens. */
  request_price: z.int().nonnegative().default(0),
};
export const priceListSchema = z.strictObject(priceListShape);
export type PriceList = z.infer<typeof priceListSchema>;

/** A ratio as an exact decimal of at most nine places, such as "0.85". */
export const ratioSchema = z.string().regex(/^\d{1,6}(\.\d{1,9})?$/, 'a decimal such as "1" or "0.85"');

export const vendorSchema = z.strictObject({
  name,
  description: z.string().max(500).default(''),
  icon: z.string().max(200).default(''),
});
export type Vendor = z.infer<typeof vendorSchema>;

export const modelSchema = z.strictObject({
  name,
  vendor: name,
  description: z.string().max(2000).default(''),
  tags: z.array(z.string().max(40)).default([]),
  ...priceListShape,
  context_window: z.int().positive().nullable().default(null),
  max_output_tokens: z.int().positive().nullable().default(null),
  limits: rateLimitSchema.default({}),
});
export type Model = z.infer<typeof modelSchema>;

export const groupSchema = z.strictObject({
  name,
  description: z.string().max(500).default(''),
  ratio: ratioSchema,
  /** Models that keys of this group may use; "*" is every model. */
  models: z.array(z.union([z.literal('*'), name])),
  limits: rateLimitSchema.default({}),
});
export type Group = z.infer<typeof groupSchema>;

export const upstreamSchema = z.strictObject({
  name,
  base_url: z.url({ protocol: /^https?$/ }),
  protocols: z.array(protocolSchema).min(1),
  /** Sealed by pricing, opened only in the gateway's memory; null where the upstream wants none. */
  sealed_credential: z.string().nullable().default(null),
  /** Milliseconds. */
  connect_timeout_ms: z.int().positive().default(5_000),
  first_byte_timeout_ms: z.int().positive().default(300_000),
  idle_timeout_ms: z.int().positive().default(120_000),
  /** What the upstream charges us, by our model names. */
  costs: z.record(name, priceListSchema).default({}),
  /** What it charges for every other model, as a share of the list price; null is not known. */
  cost_ratio: ratioSchema.nullable().default(null),
});
export type Upstream = z.infer<typeof upstreamSchema>;

export const poolMemberSchema = z.strictObject({
  upstream: name,
  /** Lower is tried first. */
  priority: z.int().nonnegative().default(0),
  /** The share within one priority. */
  weight: z.int().positive().default(1),
  /** Our model name to the upstream's, where they differ. */
  model_map: z.record(name, z.string().min(1)).default({}),
});

/** Which upstreams serve which models for which groups; the first pool that matches is taken. */
export const poolSchema = z.strictObject({
  name,
  groups: z.array(z.union([z.literal('*'), name])).min(1),
  models: z.array(z.union([z.literal('*'), name])).min(1),
  members: z.array(poolMemberSchema).min(1),
});
export type Pool = z.infer<typeof poolSchema>;
export type PoolMember = z.infer<typeof poolMemberSchema>;

/** What an account pays, as a share of its group's price; the first that matches holds. */
export const discountSchema = z.strictObject({
  account_id: z.uuid(),
  models: z.array(z.union([z.literal('*'), name])).min(1),
  ratio: ratioSchema,
});
export type Discount = z.infer<typeof discountSchema>;

export const catalogueSchema = z.strictObject({
  vendors: z.array(vendorSchema),
  models: z.array(modelSchema),
  groups: z.array(groupSchema),
  upstreams: z.array(upstreamSchema),
  pools: z.array(poolSchema),
  discounts: z.array(discountSchema).default([]),
  limits: z.strictObject({
    /** Per client address over all relay routes. */
    client: rateLimitSchema.default({}),
    /** For a key that has none of its own. */
    key: rateLimitSchema.default({}),
    /** Per wire format, over all callers. */
    route: z.partialRecord(protocolSchema, rateLimitSchema).default({}),
  }),
});
export type Catalogue = z.infer<typeof catalogueSchema>;

/** An immutable version of the catalogue. `hash` is the SHA-256 of the catalogue's canonical JSON. */
export const priceSnapshotSchema = z.strictObject({
  version: z.int().positive(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  published_at: z.iso.datetime(),
  catalogue: catalogueSchema,
});
export type PriceSnapshot = z.infer<typeof priceSnapshotSchema>;
