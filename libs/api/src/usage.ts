import { modelSchema } from '@tollgate/catalogue';
import {
  countsSchema,
  momentSchema,
  tokenCountsSchema,
  unitCountsSchema,
  usageEventFields,
  usageLineSchema,
} from '@tollgate/contracts';
import { MODEL_OPERATIONS, SERVICE_TIERS, UNIT_KINDS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { toObjectSchema, REPORT_ERRORS, timestamp, usdAmount } from './common.ts';
import { defineResource } from './route.ts';
import { REVIEW_STATUSES } from './usage-reviews.ts';

const filters = {
  account_id: z
    .uuid()
    .optional()
    .meta({ examples: ['0198f1c2-7d1e-7000-8000-000000000001'] }),
  key_id: z
    .uuid()
    .optional()
    .meta({ examples: ['0198f1c2-7d1e-7000-8000-000000000002'] }),
  model: modelSchema.shape.name.optional().meta({ examples: ['acme-large'] }),
  request_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({
      description: 'One request, by its x-request-id',
      examples: ['req_0198f1c27d1e70008000000000000003'],
    }),
  from: momentSchema.optional().meta({ description: 'Inclusive', examples: ['2026-11-01T00:00:00Z'] }),
  to: momentSchema.optional().meta({ description: 'Exclusive', examples: ['2026-12-01T00:00:00Z'] }),
};

const summaryQuery = z.object({
  account_id: filters.account_id,
  from: momentSchema.optional().meta({
    description: 'Rounded down to the beginning of its bucket; 30 days before `to` where it is left out',
    examples: ['2026-11-01T00:00:00Z'],
  }),
  to: momentSchema.optional().meta({
    description: 'Exclusive, now where it is left out; the hour that it falls into is counted whole',
    examples: ['2026-12-01T00:00:00Z'],
  }),
  bucket: z.enum(['hour', 'day']).default('day').meta({ description: "Of the account's time zone" }),
  by: z.enum(['model', 'key', 'status']).default('model').meta({ description: 'What the series are of' }),
});

const { protocol, usage_source, outcome, latency_ms, first_byte_ms } = usageEventFields;

const serviceTier = z.enum(SERVICE_TIERS).meta({ description: 'In which of its ways the vendor served it' });
const region = z.string().nullable().meta({ description: 'Where it was served, if that is priced apart' });

const chargedLine = z
  .object({
    model: z.string(),
    service_tier: serviceTier,
    region,
    counts: countsSchema.meta({ description: 'Tokens and units by kind; a kind that is absent counts zero' }),
    counted: z.array(z.enum(UNIT_KINDS)).meta({
      description:
        'Units that were counted by what the answer holds, as the upstream reported no number of them',
    }),
    cost_usd: usdAmount,
  })
  .meta({ id: 'ChargedLine', description: 'What one model did in a request, and what that cost' });

const disputed = z
  .object({
    lines: z.array(usageLineSchema).meta({ description: 'As the upstream reported them' }),
    status: z
      .enum(REVIEW_STATUSES)
      .meta({ description: 'What is reported beyond is charged once it is accepted' }),
  })
  .meta({
    id: 'DisputedUsage',
    description: 'More than the request can have had, or in a way it did not ask for',
  });

export const usageEntry = z
  .object({
    request_id: z.string(),
    occurred_at: timestamp,
    account_id: z.uuid(),
    key_id: z.uuid(),
    group: z.string(),
    group_ratio: z.string().meta({ description: 'What the group pays of a price' }),
    discount_ratio: z.string().meta({ description: "What the account pays of its group's price" }),
    model: z.string(),
    protocol: protocol.meta({ description: "The client's wire format" }),
    operation: z.enum(MODEL_OPERATIONS).meta({ description: 'What was asked of the model' }),
    stream: z.boolean(),
    pricing_version: z.int().meta({ description: 'The version of the catalogue that it was charged by' }),
    tokens: tokenCountsSchema.meta({ description: 'By kind; a kind that is absent counts zero' }),
    units: unitCountsSchema.meta({ description: 'What is charged beside tokens, by kind' }),
    service_tier: serviceTier,
    region,
    lines: z.array(chargedLine).meta({
      description: 'The first is of the model that was asked for; their costs add up to that of the request',
    }),
    disputed: disputed.nullable(),
    cost_usd: usdAmount,
    usage_source: usage_source.meta({ description: 'Where the token counts come from' }),
    outcome,
    http_status: z.int(),
    latency_ms,
    first_byte_ms,
  })
  .meta({ id: 'UsageEntry', description: 'A relayed request as it was charged' });

const sums = {
  requests: z.int(),
  tokens_in: z.int(),
  tokens_out: z.int(),
  units: unitCountsSchema.meta({ description: 'What is charged beside tokens; kinds that were used' }),
  cost_usd: usdAmount,
};
const usageSums = z.object(sums).meta({ id: 'UsageSums' });

const percentile = z.int().nullable();

const usageSummary = z
  .object({
    account_id: z.uuid(),
    from: timestamp,
    to: timestamp,
    bucket: summaryQuery.shape.bucket.unwrap(),
    by: summaryQuery.shape.by.unwrap(),
    time_zone: z.string(),
    spent: z
      .object({ today_usd: usdAmount, this_month_usd: usdAmount })
      .meta({ description: "By the account's clock, whatever span is asked for" }),
    total: z.object({
      ...sums,
      outcomes: toObjectSchema(outcome.options, z.int()).meta({ description: 'Requests by how they ended' }),
    }),
    latency: z
      .object({
        requests: z.int(),
        p50_ms: percentile,
        p95_ms: percentile,
        first_byte_p50_ms: percentile,
        first_byte_p95_ms: percentile,
      })
      .meta({ description: 'Of the newest requests of the span; null where there are none' }),
    buckets: z.array(timestamp).meta({ description: 'Where each begins' }),
    series: z.array(
      z
        .object({
          key: z.string().nullable().meta({
            description: 'A model, the id of a key or an outcome; null for all without a series of their own',
          }),
          label: z.string().nullable().meta({ description: 'The name of a key' }),
          total: usageSums,
          requests: z.array(z.int()).meta({ description: 'One for each bucket' }),
          tokens: z.array(z.int()),
          cost_usd: z.array(usdAmount),
        })
        .meta({ id: 'UsageSeries' }),
    ),
  })
  .meta({ id: 'UsageSummary' });

export const usage = defineResource({
  listUsage: {
    method: 'GET',
    path: '/api/usage',
    summary: 'List relayed requests, the newest first',
    description: 'Each with its tokens and its cost.',
    permission: 'usage:read',
    account: { in: 'query', name: 'account_id', others: 'accounts:write' },
    query: z.object({
      ...filters,
      cursor: z.string().max(400).optional().meta({ description: '`next` of the page before' }),
      limit: z.coerce.number().int().min(1).max(500).default(50),
    }),
    answer: z
      .object({
        items: z.array(usageEntry),
        next: z.string().nullable().meta({ description: 'The cursor of the next page; null at the end' }),
      })
      .meta({ id: 'UsagePage' }),
    errors: REPORT_ERRORS,
  },
  summariseUsage: {
    method: 'GET',
    path: '/api/usage/summary',
    summary: 'Sum up requests over time',
    description:
      'By model, by key or by how requests ended, with what was spent and how long answers took. The first so many have a series of their own; what is left is one series without a key.',
    permission: 'usage:read',
    account: { in: 'query', name: 'account_id', others: 'ledger:read-all' },
    query: summaryQuery,
    answer: usageSummary,
    errors: { ...REPORT_ERRORS, 404: 'There is no such account.' },
  },
  downloadUsage: {
    method: 'GET',
    path: '/api/usage.csv',
    summary: 'Download relayed requests as CSV, the newest first',
    description:
      'A row for each request: `tokens_<kind>` and `units_<kind>` for every kind, `counted` (units that we counted ourselves), `disputed` (as what the upstream reported beyond is decided; empty where it did not), and `lines` as JSON where more than one model worked for it.',
    permission: 'usage:read',
    account: { in: 'query', name: 'account_id', others: 'accounts:write' },
    query: z.object(filters),
    answer: { contentType: 'text/csv; charset=utf-8' },
  },
});
