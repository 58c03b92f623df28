import { modelSchema } from '@tollgate/catalogue';
import { momentSchema } from '@tollgate/contracts';
import { FIELD_RULES, TOKEN_KINDS, UNIT_KINDS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { errorAnswer, usdAmount } from './common.ts';
import { defineResource } from './route.ts';

/** What is rated again, and by what: a published version, the versions it was booked with, or a draft. */
const rerateBody = z
  .strictObject({
    from: momentSchema.meta({ description: 'Of the moments that usage is booked at; inclusive' }),
    to: momentSchema.meta({ description: 'Exclusive' }),
    account_id: z.uuid().optional(),
    model: modelSchema.shape.name.optional(),
    version: z.union([z.int().positive(), z.literal('as-booked')]).optional(),
    draft: modelSchema.shape.name.optional(),
  })
  .refine(({ from, to }) => Date.parse(from) < Date.parse(to), {
    path: ['to'],
    message: FIELD_RULES.ends_before_it_begins,
  })
  .refine(({ version, draft }) => (version === undefined) !== (draft === undefined), {
    path: ['version'],
    message: FIELD_RULES.version_or_draft,
  })
  .meta({
    examples: [{ from: '2026-10-01T00:00:00Z', to: '2026-11-01T00:00:00Z', draft: '2027-prices' }],
  });

const rerateSums = z
  .object({
    requests: z.int(),
    tokens: z.partialRecord(z.enum(TOKEN_KINDS), z.int()).meta({ description: 'Kinds that were used' }),
    units: z.partialRecord(z.enum(UNIT_KINDS), z.int()),
    booked_usd: usdAmount,
    rerated_usd: usdAmount,
    difference_usd: usdAmount.meta({ description: 'What the other prices would have charged more' }),
    unpriced_requests: z
      .int()
      .meta({ description: 'The other prices have none for them: they cost nothing' }),
    unpriced_booked_usd: usdAmount,
  })
  .meta({ id: 'RerateSums', description: 'What usage was booked with, and what it would have cost' });

/** Each line of the answer is one of these. */
const rerateNews = z
  .union([
    z.object({
      progress: z.object({
        rows: z.int(),
        of: z.int().nullable().meta({ description: 'Null until it is counted' }),
      }),
    }),
    rerateSums.extend({ account_id: z.string(), model: z.string() }).meta({ id: 'RerateLine' }),
    z.object({ total: rerateSums }),
    errorAnswer,
  ])
  .meta({ id: 'RerateNews' });

export const rerates = defineResource({
  rerate: {
    method: 'POST',
    path: '/api/finance/rerates',
    summary: 'Work out what usage would have cost by other prices',
    description:
      'Changes nothing. Answers lines of JSON as they come: `progress` about twice a second, a line for each account and model, and the `total`; or an `error` after which nothing follows.',
    permission: 'ledger:write',
    body: rerateBody,
    answer: { contentType: 'application/x-ndjson', schema: rerateNews },
    errors: { 404: 'There is no such version or draft.', 429: 'Too many re-ratings are running.' },
  },
});
