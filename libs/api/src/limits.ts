import { rateLimitSchema } from '@tollgate/catalogue';
import { UNIT_KINDS } from '@tollgate/vocabulary';
import { z } from 'zod';

/** The most that a column of four bytes holds. */
const LIMIT_MAX = 2_147_483_647;
const limit = z.int().positive().max(LIMIT_MAX).nullish();

/** Limits as keys and accounts take them. */
export const limitsBody = rateLimitSchema.extend({
  requests_per_minute: limit,
  tokens_per_minute: limit,
  concurrent_requests: limit,
});

const nullableLimit = z.int().nullable();

/** Limits as keys and accounts show them; null is no limit, and so is a kind of units that is left out. */
export const limitsAnswer = z.object({
  requests_per_minute: nullableLimit,
  tokens_per_minute: nullableLimit,
  concurrent_requests: nullableLimit,
  units_per_minute: z.partialRecord(z.enum(UNIT_KINDS), z.int()).optional(),
});
