import type { RateLimit } from '@tollgate/catalogue';

/** The columns of a key or an account that hold its limits. */
interface LimitColumns {
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  concurrentRequests: number | null;
  unitsPerMinute: UnitLimits | null;
}

/** Of each kind of units that is limited, how many a minute. */
export type UnitLimits = Exclude<RateLimit['units_per_minute'], undefined>;

export const toLimits = (row: LimitColumns) =>
  ({
    requests_per_minute: row.requestsPerMinute,
    tokens_per_minute: row.tokensPerMinute,
    concurrent_requests: row.concurrentRequests,
    ...(row.unitsPerMinute ? { units_per_minute: row.unitsPerMinute } : {}),
  }) satisfies RateLimit;

/** What is not stated is no limit. */
export const limitColumns = ({ units_per_minute: units = {}, ...limits }: RateLimit): LimitColumns => ({
  requestsPerMinute: limits.requests_per_minute ?? null,
  tokensPerMinute: limits.tokens_per_minute ?? null,
  concurrentRequests: limits.concurrent_requests ?? null,
  unitsPerMinute: Object.keys(units).length > 0 ? units : null,
});
