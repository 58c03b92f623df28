import { rateLimitSchema } from '@tollgate/contracts';
import { parseUsd } from '@tollgate/money';
import { z } from 'zod';

const usd = z.string().transform((text, context) => {
  try {
    const pico = parseUsd(text);
    if (pico >= 0n) return pico;
  } catch {
    // The message below says what is wanted.
  }
  context.addIssue({ code: 'custom', message: 'must be decimal USD of at most 12 places, such as "12.50"' });
  return z.NEVER;
});

const fields = {
  name: z.string().trim().min(1).max(100),
  group: z.string().min(1).max(128),
  expires_at: z.iso.datetime({ offset: true }).nullable(),
  /** What the key may spend in all; null is no limit of its own. */
  budget_usd: usd.nullable(),
  limits: rateLimitSchema,
};

export const createKeyBody = z.strictObject({
  ...fields,
  group: fields.group.default('default'),
  expires_at: fields.expires_at.default(null),
  budget_usd: fields.budget_usd.default(null),
  limits: fields.limits.default({}),
  /** Owners and admins may make a key for another account. */
  account_id: z.uuid().optional(),
});
export type CreateKey = z.infer<typeof createKeyBody>;

export const changeKeyBody = z.strictObject({ ...fields, status: z.enum(['active', 'disabled']) }).partial();
export type ChangeKey = z.infer<typeof changeKeyBody>;
