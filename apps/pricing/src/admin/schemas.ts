import {
  catalogueSchema,
  discountSchema,
  groupSchema,
  poolSchema,
  modelInputSchema,
  upstreamInputSchema,
  vendorSchema,
} from '@tollgate/catalogue';
import { momentSchema } from '@tollgate/contracts';
import { z } from 'zod';

/** An entry's name stands in the path. */
const named = { name: true } as const;

export const vendorBody = vendorSchema
  .omit(named)
  .meta({ examples: [{ description: 'Makes chat models', icon: 'acme.svg' }] });

export const groupBody = groupSchema.omit(named).meta({
  examples: [
    {
      description: 'A fifth cheaper, served in Europe',
      ratio: '0.8',
      models: ['*'],
      limits: { requests_per_minute: 600 },
      fallbacks: { 'acme-large': ['acme-small'] },
      required_tags: ['eu'],
    },
  ],
});

export const poolBody = poolSchema.omit(named).meta({
  examples: [
    {
      groups: ['*'],
      models: ['acme-large'],
      members: [
        { upstream: 'east', priority: 0, weight: 3, model_map: { 'acme-large': 'large-2026-10' } },
        { upstream: 'west', priority: 1, weight: 1 },
      ],
      strategy: 'least-outstanding',
      attempts: 3,
      retry_percent: 20,
      hedge: false,
    },
  ],
});

export const modelBody = modelInputSchema.omit(named).meta({
  examples: [
    {
      vendor: 'acme',
      description: 'A large chat model',
      tags: ['chat'],
      prices: { input: 3_000_000, cache_read: 300_000, output: 15_000_000 },
      tiers: [{ above_input_tokens: 200_000, prices: { input: 6_000_000, output: 22_500_000 } }],
      request_price: 0,
      context_window: 1_000_000,
    },
  ],
});

export const upstreamBody = upstreamInputSchema.omit(named).meta({
  examples: [
    {
      base_url: 'https://east.example',
      protocols: ['openai-chat'],
      credentials: [
        { name: 'first', secret: 'the-upstream-gave-you-this', weight: 2 },
        { name: 'second', secret: 'and-this', limits: { requests_per_minute: 500 } },
      ],
      tags: ['eu'],
      set_headers: { 'openai-organization': 'org-1' },
      set_parameters: { store: false },
      costs: { 'acme-large': { prices: { input: 2_000_000, output: 10_000_000 } } },
      cost_ratio: '0.7',
    },
  ],
});

/** All discounts of one account; the first that names a model holds for it. */
export const discountsBody = z
  .strictObject({
    discounts: z
      .array(discountSchema.omit({ account_id: true }))
      .min(1)
      .max(200),
  })
  .meta({
    examples: [
      {
        discounts: [
          { models: ['acme-large'], ratio: '0.75' },
          { models: ['*'], ratio: '0.9' },
        ],
      },
    ],
  });

export const limitsBody = catalogueSchema.shape.limits.meta({
  examples: [
    {
      client: { requests_per_minute: 600 },
      key: { requests_per_minute: 300, tokens_per_minute: 1_000_000 },
      route: { 'openai-chat': { requests_per_minute: 60_000 } },
    },
  ],
});

/** What a key of the group `auto` tries, in this order. */
export const autoGroupsBody = z
  .strictObject({ groups: catalogueSchema.shape.auto_groups.unwrap() })
  .meta({ examples: [{ groups: ['cheap', 'default'] }] });

export const versionsQuery = z.object({
  before: z.coerce
    .number()
    .int()
    .positive()
    .max(2 ** 31 - 1)
    .optional()
    .meta({ description: '`next` of the page before', examples: [21] }),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});

/** The first pool that matches serves: a new one can be put in front of another. */
export const poolQuery = z.object({
  before: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({ description: 'Name of the pool to stand in front of' }),
});

export const timeQuery = z.object({
  time: momentSchema.optional().meta({ description: 'Without it now', examples: ['2026-11-01T00:00:00Z'] }),
});
