import { rateLimitSchema } from '@tollgate/catalogue';
import { z } from 'zod';

/** The most that a column of four bytes holds. */
const LIMIT_MAX = 2_147_483_647;
const limit = z.int().positive().max(LIMIT_MAX).nullish();

/** Limits as keys and accounts take them: those of units are the catalogue's. */
export const limitsBody = rateLimitSchema.omit({ units_per_minute: true }).extend({
  requests_per_minute: limit,
  tokens_per_minute: limit,
  concurrent_requests: limit,
});

const nullableLimit = z.int().nullable();

/** Limits as keys and accounts show them; null is no limit. */
export const limitsAnswer = z.object({
  requests_per_minute: nullableLimit,
  tokens_per_minute: nullableLimit,
  concurrent_requests: nullableLimit,
});
