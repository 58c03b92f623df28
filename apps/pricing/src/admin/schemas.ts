import {
  catalogueSchema,
  groupSchema,
  modelSchema,
  poolSchema,
  priceSchema,
  tokenKindSchema,
  upstreamSchema,
  vendorSchema,
} from '@tollgate/contracts';
import { z } from 'zod';

/** An entry's name stands in the path. */
const named = { name: true } as const;

export const vendorBody = vendorSchema
  .omit(named)
  .meta({ examples: [{ description: 'Makes chat models', icon: 'acme.svg' }] });

export const groupBody = groupSchema.omit(named).meta({
  examples: [
    { description: 'A fifth cheaper', ratio: '0.8', models: ['*'], limits: { requests_per_minute: 600 } },
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
    },
  ],
});

/** Input and output prices are required; the other kinds take theirs where they are left out. */
export const modelBody = modelSchema
  .omit(named)
  .extend({
    prices: z
      .partialRecord(tokenKindSchema, priceSchema)
      .refine(
        (prices): prices is typeof prices & { input: number; output: number } =>
          prices.input !== undefined && prices.output !== undefined,
        'input and output are required, in whole micro-USD per million tokens',
      ),
  })
  .meta({
    examples: [
      {
        vendor: 'acme',
        description: 'A large chat model',
        tags: ['chat'],
        prices: { input: 3_000_000, cache_read: 300_000, output: 15_000_000 },
        context_window: 200_000,
      },
    ],
  });

/** The credential is written, never read: absent keeps the one there is, null removes it. */
export const upstreamBody = upstreamSchema
  .omit({ name: true, sealed_credential: true })
  .extend({ credential: z.string().min(1).max(4096).nullish() })
  .meta({
    examples: [
      {
        base_url: 'https://east.example',
        protocols: ['openai-chat'],
        credential: 'the-upstream-gave-you-this',
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
