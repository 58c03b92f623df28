import { rateLimitSchema } from '@tollgate/catalogue';
import { z } from 'zod';

/** How long a key's budget lasts until it is full again; `total` for ever. */
export const BUDGET_WINDOWS = ['total', 'daily', 'monthly'] as const;
export type BudgetWindow = (typeof BUDGET_WINDOWS)[number];

/**
 * What the gateway must know of an API key. The key itself is not in it: records are found by the lower-case
 * hexadecimal SHA-256 of the key.
 */
export const keyRecordSchema = z.strictObject({
  key_id: z.uuid(),
  key_hash: z.string().regex(/^[0-9a-f]{64}$/),
  account_id: z.uuid(),
  name: z.string(),
  group: z.string().min(1),
  status: z.enum(['active', 'disabled']),
  account_status: z.enum(['active', 'disabled']),
  expires_at: z.iso.datetime().nullable(),
  /** The account spends from a balance that can run out: prepaid credit, or a credit limit. */
  credit_limited: z.boolean(),
  /** The budgets that the key itself has. */
  budgets: z.array(z.enum(BUDGET_WINDOWS)),
  /** The account's: its days and months begin and end there. An IANA name. */
  time_zone: z.string().min(1),
  limits: rateLimitSchema,
  /** The account's, over all of its keys. */
  account_limits: rateLimitSchema,
  /** Models that this key may use; null is every one of its group. */
  models: z.array(z.string().min(1)).nullable(),
  /** Addresses and CIDR ranges that it may be used from; null is everywhere. */
  allowed_addresses: z.array(z.string().min(1)).nullable(),
  /** A field that a conversion would leave out is refused instead. */
  strict: z.boolean(),
  /** Rises with every change of the key. */
  revision: z.int().nonnegative(),
});
export type KeyRecord = z.infer<typeof keyRecordSchema>;
