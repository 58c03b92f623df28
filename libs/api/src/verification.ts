import { z } from 'zod';
import { timestamp } from './common.ts';

/** How far a month is read, in numbers of the journal: one for each request. */
export const progress = {
  checked: z.int().meta({ description: 'Numbers of the journal that were read' }),
  total: z.int(),
};

const month = z.string().meta({ examples: ['2026-11'] });

/** How far a verification of closed periods is, and what it found. */
export const verification = z
  .object({
    id: z.uuid(),
    account_id: z.uuid().nullable().meta({ description: 'null for all accounts' }),
    from_start: z.boolean(),
    started_by: z.string(),
    started_at: timestamp,
    ended_at: timestamp.nullable().meta({ description: 'null while it runs' }),
    ...progress,
    verified: z.boolean().nullable().meta({ description: 'null while it runs' }),
    items: z
      .array(
        z.object({
          account_id: z.uuid(),
          periods: z.int(),
          known: z
            .int()
            .meta({ description: 'Of those, the ones that were found right before and not read again' }),
          last_hash: z
            .string()
            .nullable()
            .meta({ description: 'Noted elsewhere, it vouches for all periods up to the last' }),
          first_difference: z
            .object({
              month,
              what: z.string().meta({ description: '`hash`, `digest`, a part of the totals, …' }),
              stored: z.unknown(),
              computed: z.unknown(),
            })
            .nullable(),
        }),
      )
      .meta({ description: 'Accounts that are done' }),
  })
  .meta({ id: 'PeriodVerification' });
