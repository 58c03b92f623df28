import { type RateLimit, rateLimitSchema } from '@tollgate/catalogue';
import { z } from 'zod';

/** The most that a column of four bytes holds. */
const MOST = 2_147_483_647;
const limit = z.int().positive().max(MOST).nullish();

/** Limits as keys and accounts take them. */
export const limitsBody = rateLimitSchema.extend({
  requests_per_minute: limit,
  tokens_per_minute: limit,
  concurrent_requests: limit,
});

/** The columns of a key or an account that hold its limits. */
interface LimitColumns {
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  concurrentRequests: number | null;
}

export const limitsOf = (row: LimitColumns) =>
  ({
    requests_per_minute: row.requestsPerMinute,
    tokens_per_minute: row.tokensPerMinute,
    concurrent_requests: row.concurrentRequests,
  }) satisfies RateLimit;

/** What is not stated is no limit. */
export const limitColumns = (limits: RateLimit): LimitColumns => ({
  requestsPerMinute: limits.requests_per_minute ?? null,
  tokensPerMinute: limits.tokens_per_minute ?? null,
  concurrentRequests: limits.concurrent_requests ?? null,
});
