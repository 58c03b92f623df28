import { z } from 'zod';
import { timestamp, usdAmount } from './common.ts';
import { limitsAnswer } from './limits.ts';

/** What an operator may hold of a key. */
export const HOLDABLE_FIELDS = [
  'group',
  'models',
  'allowed_addresses',
  'expires_at',
  'status',
  'budgets.total_usd',
  'budgets.daily_usd',
  'budgets.monthly_usd',
  'limits.requests_per_minute',
  'limits.tokens_per_minute',
  'limits.concurrent_requests',
  'limits.units_per_minute',
] as const;
export type HoldableField = (typeof HOLDABLE_FIELDS)[number];

/** A key as lists show it: recognisable, not usable. */
export const apiKey = z
  .object({
    id: z.uuid(),
    account_id: z.uuid(),
    owner_id: z.uuid().nullable().meta({ description: 'Whose it is; null is the account itself' }),
    owner: z
      .object({ email: z.string(), name: z.string().nullable() })
      .nullable()
      .meta({ description: 'Who that is; null of the account’s own and of somebody who is gone' }),
    name: z.string(),
    masked: z.string(),
    group: z.string(),
    status: z.enum(['active', 'disabled']),
    expires_at: timestamp.nullable(),
    budgets: z.object({
      total_usd: usdAmount.nullable(),
      daily_usd: usdAmount.nullable(),
      monthly_usd: usdAmount.nullable(),
    }),
    spent: z.object({ total_usd: usdAmount, today_usd: usdAmount, this_month_usd: usdAmount }),
    limits: limitsAnswer,
    models: z.array(z.string()).nullable().meta({
      description: 'What it may use of the models of its group; null is every one',
    }),
    allowed_addresses: z.array(z.string()).nullable().meta({
      description: 'IP addresses and ranges that it may be used from; null is everywhere',
    }),
    strict: z.boolean(),
    temporary: z.boolean().meta({ description: 'It is deleted once it has ended' }),
    rotated_from: z
      .object({ masked: z.string(), works_until: timestamp })
      .nullable()
      .meta({ description: 'The secret before this one, which works beside it for a while' }),
    operator_fields: z
      .partialRecord(z.enum(HOLDABLE_FIELDS), z.object({ by: z.string(), at: timestamp }))
      .meta({ description: 'Fields that an operator set: others restrict them further, and lift none' }),
    created_at: timestamp.nullable(),
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });

/** Nothing else ever holds the key itself. */
export const newApiKey = apiKey.extend({ key: z.string() }).meta({ id: 'NewApiKey' });
