import type { RateLimit } from '@tollgate/catalogue';

/** The columns of a key or an account that hold its limits. */
interface LimitColumns {
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  concurrentRequests: number | null;
}

export const toLimits = (row: LimitColumns) =>
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
