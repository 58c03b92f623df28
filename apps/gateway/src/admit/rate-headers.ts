import type { BucketState, LimitUnit } from '@tollgate/limits';
import type { ClientProtocol } from '@tollgate/vocabulary';
import { CODECS } from '@tollgate/protocols';

/**
 * The state of the tightest request limit and the tightest token limit, in the header names that clients of the
 * format read.
 */
export function rateHeaders(
  protocol: ClientProtocol,
  buckets: readonly BucketState[],
  now: number = Date.now(),
): Record<string, string> {
  const { writeRateLimit } = CODECS[protocol];
  const headers: Record<string, string> = {};
  for (const unit of ['requests', 'tokens'] as const) {
    const state = tightest(buckets, unit);
    if (state) writeRateLimit(headers, unit, state, now);
  }
  return headers;
}

/** The bucket of a unit with the smallest share left. */
function tightest(buckets: readonly BucketState[], unit: LimitUnit): BucketState | undefined {
  let least: BucketState | undefined;
  for (const bucket of buckets) {
    if (bucket.unit !== unit) continue;
    if (least === undefined || bucket.remaining * least.limit < least.remaining * bucket.limit)
      least = bucket;
  }
  return least;
}
