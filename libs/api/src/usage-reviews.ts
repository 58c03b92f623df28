import { countsSchema, usageEventFields, usageLineSchema } from '@tollgate/contracts';
import { z } from 'zod';
import { timestamp, usdAmount } from './common.ts';
import { plainText } from './fields.ts';
import { defineResource } from './route.ts';

const NOT_FOUND = 'There is no review of such a request.';
const params = z.strictObject({
  request_id: z
    .string()
    .regex(/^[\w-]{1,64}$/, NOT_FOUND)
    .meta({ examples: ['req_1f0c5e0b7a2d'] }),
});

export const REVIEW_STATUSES = ['open', 'accepted', 'dismissed'] as const;
const status = z.enum(REVIEW_STATUSES);

const decisionBody = z
  .strictObject({ reason: plainText(500).meta({ description: 'Why. It stands in the audit log.' }) })
  .meta({ examples: [{ reason: 'The upstream searched the web and its invoice says so' }] });

const usageReview = z
  .object({
    request_id: z.string(),
    transaction: z.int().meta({ description: 'Number of the transaction that charged the bound' }),
    account_id: z.uuid(),
    occurred_at: timestamp,
    opened_at: timestamp,
    model: z.string(),
    upstream: z.string(),
    bound: usageEventFields.bound
      .unwrap()
      .nullable()
      .meta({ description: 'The most that the request can have had' }),
    charged_tokens: countsSchema.meta({ description: 'Tokens and units by kind, over all lines' }),
    reported_tokens: countsSchema,
    charged_lines: z.array(usageLineSchema),
    reported_lines: z.array(usageLineSchema),
    charged_usd: usdAmount,
    status,
    decided_at: timestamp.nullable(),
    decided_by: z.string().nullable(),
    reason: z.string().nullable(),
    decided_transaction: z
      .int()
      .nullable()
      .meta({ description: 'Number of the transaction that booked what was reported beyond the bound' }),
  })
  .meta({
    id: 'UsageReview',
    description:
      'A request whose upstream reported more than it can have had; it is charged what it can have had',
  });

export const usageReviews = defineResource({
  listUsageReviews: {
    method: 'GET',
    path: '/api/finance/usage-reviews',
    summary: 'List requests with more usage than they can have had',
    permission: 'ledger:read-all',
    query: z.object({
      status: status.default('open'),
      limit: z.coerce.number().int().min(1).max(500).default(100),
    }),
    answer: z.object({ items: z.array(usageReview) }),
  },
  acceptUsageReview: {
    method: 'POST',
    path: '/api/finance/usage-reviews/:request_id/accept',
    summary: 'Charge the usage that was reported',
    description: 'The reported figures are right: what they cost beyond the bound is booked as well.',
    permission: 'ledger:write',
    params,
    body: decisionBody,
    answer: usageReview,
    errors: { 409: 'It is decided already, or the figures have no price.' },
  },
  dismissUsageReview: {
    method: 'POST',
    path: '/api/finance/usage-reviews/:request_id/dismiss',
    summary: 'Leave the charge as it is',
    description: 'The reported figures are wrong.',
    permission: 'ledger:write',
    params,
    body: decisionBody,
    answer: usageReview,
    errors: { 409: 'It is decided already.' },
  },
});
