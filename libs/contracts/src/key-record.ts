import { z } from 'zod';
import { rateLimitSchema } from './rate-limit.ts';

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
  /** The key has spent its own budget, or the account its credit. */
  quota_exhausted: z.boolean(),
  limits: rateLimitSchema,
  /** A field that a conversion would leave out is refused instead. */
  strict: z.boolean(),
  /** Rises with every change of the key. */
  revision: z.int().nonnegative(),
});
export type KeyRecord = z.infer<typeof keyRecordSchema>;
