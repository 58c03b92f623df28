import type { BucketState, LimitUnit } from '@tollgate/limits';
import type { Protocol } from '@tollgate/vocabulary';

/**
 * The state of the tightest request limit and the tightest token limit, in the header names that clients of the
 * protocol read. OpenAI states the reset as a duration, Anthropic as a time; Gemini has no names of its own.
 */
export function rateHeaders(
  protocol: Protocol,
  buckets: readonly BucketState[],
  now: number = Date.now(),
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const unit of ['requests', 'tokens'] as const) {
    const state = tightest(buckets, unit);
    if (!state) continue;
    const remaining = String(Math.max(0, Math.floor(state.remaining)));
    if (protocol === 'anthropic-messages') {
      headers[`anthropic-ratelimit-${unit}-limit`] = String(state.limit);
      headers[`anthropic-ratelimit-${unit}-remaining`] = remaining;
      headers[`anthropic-ratelimit-${unit}-reset`] = new Date(now + state.resetMs).toISOString();
    } else {
      headers[`x-ratelimit-limit-${unit}`] = String(state.limit);
      headers[`x-ratelimit-remaining-${unit}`] = remaining;
      headers[`x-ratelimit-reset-${unit}`] = duration(state.resetMs);
    }
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

/** Such as `6m0s`, `1s` or `20ms`. */
function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.ceil(ms))}ms`;
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
