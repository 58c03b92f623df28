import {
  COSTLY_FEATURES,
  FEATURE_TERMS,
  FIELD_RULES,
  LIMITED_ROUTES,
  MODEL_OPERATIONS,
  type ModelOperation,
  PROTOCOLS,
  SERVICE_TIERS,
  TOKEN_KINDS,
  UNIT_KINDS,
} from '@tollgate/vocabulary';
import { z } from 'zod';
import { completePrices } from './complete-prices.ts';
import { modelDialectSchema } from './model-dialect.ts';
import {
  headerName,
  modelListsSchema,
  upstreamAuthSchema,
  upstreamPathsSchema,
  upstreamTaskFormatsSchema,
  upstreamWrappingSchema,
} from './upstream-access.ts';

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/, FIELD_RULES.not_a_catalogue_name);

/** Requests, tokens and units a minute, and requests at once; null or absent means no limit of that kind. */
export const rateLimitSchema = z.strictObject({
  requests_per_minute: z.int().positive().nullish(),
  tokens_per_minute: z.int().positive().nullish(),
  concurrent_requests: z.int().positive().nullish(),
  units_per_minute: z.partialRecord(z.enum(UNIT_KINDS), z.int().positive()).optional(),
});
export type RateLimit = z.infer<typeof rateLimitSchema>;

export const listUnitLimits = ({ units_per_minute: stated = {} }: RateLimit) =>
  UNIT_KINDS.flatMap((kind) => {
    const perMinute = stated[kind];
    return perMinute === undefined ? [] : [{ kind, perMinute }];
  });

/** Whole micro-USD per million tokens, which is the same number of pico-USD per token. */
export const priceSchema = z.int().nonnegative();

/**
 * Every kind has its own price: what an admin leaves out is filled in before a snapshot is made. Versions that were published
 * before there was a kind have no price of it, and are read as if they had.
 */
const pricesSchema = z.preprocess(
  (prices) => (hasBasePrices(prices) ? completePrices(prices) : prices),
  z.record(z.enum(TOKEN_KINDS), priceSchema),
);

const hasBasePrices = (value: unknown): value is { input: number; output: number } =>
  typeof value === 'object' &&
  value !== null &&
  'input' in value &&
  Number.isSafeInteger(value.input) &&
  'output' in value &&
  Number.isSafeInteger(value.output);

/** A ratio as an exact decimal of at most nine places, such as "0.85". */
const ratioSchema = z.string().regex(/^\d{1,6}(\.\d{1,9})?$/, FIELD_RULES.not_a_ratio);

/** The same of a service tier or a region: with more places, unit prices would not fit into what is exported. */
const tokenRatioSchema = z.string().regex(/^\d{1,3}(\.\d{1,3})?$/, FIELD_RULES.not_a_token_ratio);

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
  /** Whole micro-USD per million units. Absent of versions from before there were any, as are the two below. */
  unit_prices: z.partialRecord(z.enum(UNIT_KINDS), priceSchema).optional(),
  /** What tokens cost in the vendor's other service tiers, as a share of the prices above. */
  service_tiers: z.partialRecord(z.enum(SERVICE_TIERS).exclude(['standard']), tokenRatioSchema).optional(),
  /** What tokens cost in regions that the vendor prices apart, as a share of the prices above. */
  regions: z.record(name, tokenRatioSchema).optional(),
};
export const priceListSchema = z.strictObject(priceListShape);
export type PriceList = z.infer<typeof priceListSchema>;

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
  /** Absent of models from before there were any: the hash of a published version must stay what it is. */
  features: z.partialRecord(z.enum(COSTLY_FEATURES), z.enum(FEATURE_TERMS)).optional(),
  /** Models of the catalogue that its tool for pictures draws with; the first does where a request names none. */
  image_models: z.array(name).min(1).max(8).optional(),
  /** Where its prices were read, and on which day. Absent where somebody set them, and of models from before there was any. */
  price_source: z.strictObject({ source: z.string().min(1).max(500), date: z.iso.date() }).optional(),
  /** Absent of models that are as their names at the upstreams say, and of those from before there was any. */
  dialect: modelDialectSchema.optional(),
  /** What it is for; absent of models for conversations alone, and of those from before there was anything else. */
  operations: z.array(z.enum(MODEL_OPERATIONS)).min(1).max(MODEL_OPERATIONS.length).optional(),
});
export type Model = z.infer<typeof modelSchema>;

/** What a model is for. */
export const listOperations = ({ operations }: Pick<Model, 'operations'>): readonly ModelOperation[] =>
  operations ?? CONVERSATIONS;
const CONVERSATIONS: readonly ModelOperation[] = ['generate'];

export const groupSchema = z.strictObject({
  name,
  description: z.string().max(500).default(''),
  ratio: ratioSchema,
  /** Models that keys of this group may use; "*" is every model. */
  models: z.array(z.union([z.literal('*'), name])),
  limits: rateLimitSchema.default({}),
  /** Models that stand in, in this order, for one that no upstream can serve at the moment. */
  fallbacks: z.record(name, z.array(name).min(1)).default({}),
  /** Only upstreams with all of these tags serve this group, such as a region. */
  required_tags: z.array(name).default([]),
});
export type Group = z.infer<typeof groupSchema>;

/** One of the credentials of an upstream; requests are spread over them by weight. */
export const credentialSchema = z.strictObject({
  name,
  /** Sealed by pricing, opened only in the gateway's memory. */
  sealed: z.string(),
  weight: z.int().positive().default(1),
  limits: rateLimitSchema.default({}),
});
export type Credential = z.infer<typeof credentialSchema>;

const headerText = z
  .string()
  .max(4096)
  .regex(/^[\t\x20-\x7e]*$/, FIELD_RULES.not_printable_ascii);

export const upstreamSchema = z.strictObject({
  name,
  base_url: z.url({ protocol: /^https?$/ }),
  /** Given no requests while it is true. */
  disabled: z.boolean().optional(),
  protocols: z.array(z.enum(PROTOCOLS)).min(1),
  /** Absent of upstreams that take their format's own key and paths, and of those from before there were any. */
  auth: upstreamAuthSchema.optional(),
  paths: upstreamPathsSchema.optional(),
  model_lists: modelListsSchema.optional(),
  wrapping: upstreamWrappingSchema.optional(),
  /** By format, what it takes otherwise than its models do elsewhere, such as fields that it refuses. */
  dialects: z.partialRecord(z.enum(PROTOCOLS), modelDialectSchema).optional(),
  /** How it is asked for tasks, where that is not as those do who speak its formats. */
  task_formats: upstreamTaskFormatsSchema.optional(),
  /** One call may have so many texts to embed, or documents to rank, at most: more are sent in several. */
  max_inputs: z.int().positive().optional(),
  /** None where the upstream wants none. */
  credentials: z.array(credentialSchema).max(100).default([]),
  /** Such as its region: see `required_tags` of groups. */
  tags: z.array(name).default([]),
  /** Headers that are sent to it in place of the caller's. */
  set_headers: z.record(headerName, headerText).default({}),
  /** Top-level fields of the body that are sent to it in place of the caller's. */
  set_parameters: z.record(z.string(), z.json()).default({}),
  /** Addresses of private networks are refused unless an admin allows them. */
  allow_private_addresses: z.boolean().default(false),
  limits: rateLimitSchema.default({}),
  /** Asked for its models this often while it is ejected; null leaves that to the callers' requests. */
  probe_interval_s: z.int().positive().nullable().default(null),
  /** Milliseconds. */
  connect_timeout_ms: z.int().positive().default(5_000),
  first_byte_timeout_ms: z.int().positive().default(300_000),
  idle_timeout_ms: z.int().positive().default(120_000),
  /** From the first try to the last byte. */
  total_timeout_ms: z.int().positive().default(3_600_000),
  /** What the upstream charges us, by our model names. */
  costs: z.record(name, priceListSchema).default({}),
  /** What it charges for every other model, as a share of the list price; null is not known. */
  cost_ratio: ratioSchema.nullable().default(null),
  /** Its answers say in `usage.cost` what it charges, in USD, and that is booked. Absent of versions from before there was one. */
  reports_cost: z.boolean().optional(),
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
  /** What it charges as a share of the list price, in place of the upstream's own figure. */
  cost_ratio: ratioSchema.nullable().default(null),
});

/** How a member is chosen among those of one priority. */
export const STRATEGIES = [
  'weighted',
  'least-outstanding',
  'latency',
  'cheapest',
  'sticky-key',
  'sticky-prompt',
] as const;

/** A key of this group tries the catalogue's `auto_groups` in their order; no group has this name. */
export const AUTO_GROUP = 'auto';

/** Which upstreams serve which models for which groups; the first pool that matches is taken. */
export const poolSchema = z.strictObject({
  name,
  groups: z.array(z.union([z.literal('*'), name])).min(1),
  models: z.array(z.union([z.literal('*'), name])).min(1),
  members: z.array(poolMemberSchema).min(1),
  strategy: z.enum(STRATEGIES).default('weighted'),
  /** Tries of one request in all, and the share of requests that may be tried again. */
  attempts: z.int().min(1).max(10).default(3),
  retry_percent: z.int().min(0).max(100).default(20),
  /** Sends a second request when the first byte is late; the upstream bills both. */
  hedge: z.boolean().default(false),
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
  /** What a key of the group `auto` tries, in this order. */
  auto_groups: z.array(name).default([]),
  limits: z.strictObject({
    /** Per client address over all relay routes. */
    client: rateLimitSchema.default({}),
    /** For a key that has none of its own. */
    key: rateLimitSchema.default({}),
    /** Per wire format of conversations, and per operation beside them, over all callers. */
    route: z.partialRecord(z.enum(LIMITED_ROUTES), rateLimitSchema).default({}),
  }),
});
export type Catalogue = z.infer<typeof catalogueSchema>;

const NO_ENTRIES = { vendors: [], models: [], groups: [], upstreams: [], pools: [], discounts: [] };
export const EMPTY_CATALOGUE: Catalogue = {
  ...NO_ENTRIES,
  auto_groups: [],
  limits: { client: {}, key: {}, route: {} },
};

/** What consists of entries with names. */
export const ENTRY_SECTIONS = [
  'vendors',
  'models',
  'groups',
  'upstreams',
  'pools',
] as const satisfies readonly (keyof Catalogue)[];
export type EntrySection = (typeof ENTRY_SECTIONS)[number];

export const CATALOGUE_SECTIONS = [
  ...ENTRY_SECTIONS,
  'discounts',
  'auto_groups',
  'limits',
] as const satisfies readonly (keyof Catalogue)[];
export type CatalogueSection = (typeof CATALOGUE_SECTIONS)[number];

/** An immutable version of the catalogue. `hash` is the SHA-256 of the catalogue's canonical JSON. */
export const priceSnapshotSchema = z.strictObject({
  version: z.int().positive(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  published_at: z.iso.datetime(),
  catalogue: catalogueSchema,
});
export type PriceSnapshot = z.infer<typeof priceSnapshotSchema>;
