import { momentSchema } from '@tollgate/contracts';
import { z } from 'zod';
import { idempotencyHeaders, toIdSchema, positiveUsd, timestamp, usdAmount } from './common.ts';
import { plainText } from './fields.ts';
import { customerTransaction } from './ledger.ts';
import { defineResource } from './route.ts';

const CODES_MAX = 10_000;

const batchBody = z
  .strictObject({
    amount_usd: positiveUsd.meta({ description: 'Credit that each code gives', examples: ['5.00'] }),
    count: z.int().min(1).max(CODES_MAX),
    expires_at: momentSchema.nullable().default(null),
    note: plainText(500).meta({ description: 'What the codes are for' }),
  })
  .meta({
    examples: [
      { amount_usd: '5.00', count: 100, expires_at: '2027-01-01T00:00:00Z', note: 'Conference booth' },
    ],
  });

const revokeBody = z
  .strictObject({
    code_id: z.uuid().optional().meta({ description: 'One code; without it all that are not redeemed' }),
    reason: plainText(500),
  })
  .meta({ examples: [{ reason: 'The list was published by mistake' }] });

const redeemBody = z
  .strictObject({ code: z.string().min(1).max(64) })
  .meta({ examples: [{ code: '7KQ2-M9XT-4HVB-0ZRE' }] });

const batch = z
  .object({
    id: z.uuid(),
    amount_usd: usdAmount.meta({ description: 'What each code gives' }),
    expires_at: timestamp.nullable(),
    note: z.string(),
    created_by: z.string(),
    created_at: timestamp,
    count: z.int(),
    redeemed: z.int(),
    revoked: z.int(),
  })
  .meta({ id: 'RedemptionBatch' });

const code = z
  .object({
    id: z.uuid(),
    masked: z.string().meta({ description: 'Recognisable by its ending, not usable' }),
    status: z.enum(['open', 'redeemed', 'revoked']),
    redeemed_at: timestamp.nullable(),
    redeemed_by: z.string().nullable(),
    transaction: z.int().nullable().meta({ description: 'Number of the transaction that gave the credit' }),
    revoked_at: timestamp.nullable(),
    revoked_by: z.string().nullable(),
    revoked_why: z.string().nullable(),
  })
  .meta({ id: 'RedemptionCode' });

const cursor = z.uuid().optional().meta({ description: '`next` of the page before' });
const next = z.uuid().nullable().meta({ description: 'The cursor of the next page; null at the end' });
const params = z.strictObject({ id: toIdSchema('batch') });

export const redemption = defineResource({
  createRedemptionBatch: {
    method: 'POST',
    path: '/api/redemption/batches',
    summary: 'Make redemption codes',
    description: 'The codes are in this answer and nowhere else.',
    permission: 'ledger:write',
    headers: idempotencyHeaders,
    body: batchBody,
    status: 201,
    answer: z.object({ id: z.uuid(), codes: z.array(z.string()) }).meta({ id: 'NewRedemptionBatch' }),
    errors: { 409: 'The key has made a batch already, whose codes cannot be shown again.' },
  },
  listRedemptionBatches: {
    method: 'GET',
    path: '/api/redemption/batches',
    summary: 'List batches of redemption codes, the newest first',
    permission: 'ledger:read-all',
    query: z.object({ cursor, limit: z.coerce.number().int().min(1).max(200).default(50) }),
    answer: z.object({ items: z.array(batch), next }),
  },
  listRedemptionCodes: {
    method: 'GET',
    path: '/api/redemption/batches/:id/codes',
    summary: 'List the codes of a batch',
    description: 'With what became of each. A batch that is not there has none.',
    permission: 'ledger:read-all',
    params,
    query: z.object({ cursor, limit: z.coerce.number().int().min(1).max(1_000).default(200) }),
    answer: z.object({ items: z.array(code), next }),
  },
  revokeRedemptionCodes: {
    method: 'POST',
    path: '/api/redemption/batches/:id/revoke',
    summary: 'Take back codes that nobody has redeemed',
    permission: 'ledger:write',
    params,
    body: revokeBody,
    answer: z.object({ revoked: z.int().meta({ description: 'How many' }) }),
  },
  redeemCode: {
    method: 'POST',
    path: '/api/redemption/redeem',
    summary: 'Redeem a code',
    description: 'Its credit goes to the account of whoever is signed in.',
    permission: 'redemption-codes:redeem',
    body: redeemBody,
    answer: customerTransaction,
    errors: {
      404: 'There is no such code.',
      409: 'It was redeemed, revoked or has expired.',
      429: 'Too many codes were tried. Try again later.',
    },
  },
});
