import { momentSchema } from '@tollgate/contracts';
import { z } from 'zod';
import { plainText, positiveUsd } from '../ledger/operation-bodies.ts';

const MOST_CODES = 10_000;

export const batchBody = z
  .strictObject({
    amount_usd: positiveUsd.meta({ description: 'Credit that each code gives', examples: ['5.00'] }),
    count: z.int().min(1).max(MOST_CODES),
    expires_at: momentSchema.nullable().default(null),
    note: plainText(500).meta({ description: 'What the codes are for' }),
  })
  .meta({
    examples: [
      { amount_usd: '5.00', count: 100, expires_at: '2027-01-01T00:00:00Z', note: 'Conference booth' },
    ],
  });
export type NewBatch = z.infer<typeof batchBody>;

export const revokeBody = z
  .strictObject({
    code_id: z.uuid().optional().meta({ description: 'One code; without it all that are not redeemed' }),
    reason: plainText(500),
  })
  .meta({ examples: [{ reason: 'The list was published by mistake' }] });
export type Revocation = z.infer<typeof revokeBody>;

export const redeemBody = z
  .strictObject({ code: z.string().min(1).max(64) })
  .meta({ examples: [{ code: '7KQ2-M9XT-4HVB-0ZRE' }] });

export const batchListQuery = z.object({
  cursor: z.uuid().optional().meta({ description: '`next` of the page before' }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const codeListQuery = z.object({
  cursor: z.uuid().optional().meta({ description: '`next` of the page before' }),
  limit: z.coerce.number().int().min(1).max(1_000).default(200),
});
