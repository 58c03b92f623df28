import { rateLimitSchema } from '@tollgate/contracts';
import { parseUsd } from '@tollgate/money';
import { z } from 'zod';

const isUsd = (text: string): boolean => {
  try {
    return parseUsd(text) >= 0n;
  } catch {
    return false;
  }
};
const usd = z.string().refine(isUsd, 'must be decimal USD of at most 12 places, such as "12.50"');

/** The most that a column of four bytes holds. */
const MOST_PER_MINUTE = 2_147_483_647;
const perMinute = z.int().positive().max(MOST_PER_MINUTE).nullish();

const fields = {
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .refine((name) => !name.includes('\0'), 'must not hold the character NUL'),
  group: z.string().min(1).max(128),
  expires_at: z.iso.datetime({ offset: true }).nullable(),
  /** What the key may spend in all, in a day and in a month of its account's time zone; null is no limit of its own. */
  budgets: z
    .strictObject({ total_usd: usd.nullable(), daily_usd: usd.nullable(), monthly_usd: usd.nullable() })
    .partial(),
  limits: rateLimitSchema.extend({ requests_per_minute: perMinute, tokens_per_minute: perMinute }),
  /** Refuse what a conversion to another wire format would leave out. */
  strict: z.boolean(),
};

export const createKeyBody = z
  .strictObject({
    ...fields,
    group: fields.group.default('default'),
    expires_at: fields.expires_at.default(null),
    budgets: fields.budgets.default({}),
    limits: fields.limits.default({}),
    strict: fields.strict.default(false),
    /** Owners and admins may make a key for another account. */
    account_id: z.uuid().optional(),
  })
  .meta({
    examples: [
      {
        name: 'Nightly reports',
        group: 'default',
        expires_at: '2027-01-01T00:00:00Z',
        budgets: { total_usd: '100', daily_usd: '12.50', monthly_usd: null },
        limits: { requests_per_minute: 60, tokens_per_minute: 100_000 },
      },
    ],
  });
export type CreateKey = z.infer<typeof createKeyBody>;

export const changeKeyBody = z
  .strictObject({ ...fields, status: z.enum(['active', 'disabled']) })
  .partial()
  .meta({ examples: [{ status: 'disabled', budgets: { daily_usd: '20' } }] });
export type ChangeKey = z.infer<typeof changeKeyBody>;
