import { type Headers, retryAfterMs } from './retry-after.ts';

/** What one attempt at an upstream says about it. Times are milliseconds since the attempt began. */
export type Outcome =
  /** It answered with success. */
  | { readonly kind: 'answered'; readonly firstByteMs: number }
  | { readonly kind: 'failed'; readonly cause: FailureCause; readonly elapsedMs: number }
  | { readonly kind: 'rate-limited'; readonly retryAfterMs: number | undefined }
  /** The upstream refused our credential. */
  | { readonly kind: 'refused'; readonly status: 401 | 403 }
  /** It says nothing: the caller went away, or sent what no upstream would take. */
  | { readonly kind: 'unknown' };

/** `broken`: the connection or the stream ended before its first byte. */
type FailureCause = 'connect' | 'timeout' | 'broken' | `status ${number}`;

/** Payment required and request time-out: below 500, and yet nothing that the caller did. */
const OWN_FAILURES = new Set([402, 408]);

/**
 * The outcome of an attempt whose status line has come. What refuses the caller's request says nothing: it comes
 * sooner than an answer would, and a caller could send as much of it as they like.
 */
export function outcomeOfStatus(status: number, headers: Headers, now: number, elapsedMs: number): Outcome {
  if (status >= 200 && status < 300) return { kind: 'answered', firstByteMs: elapsedMs };
  if (status === 401 || status === 403) return { kind: 'refused', status };
  if (status === 429) return { kind: 'rate-limited', retryAfterMs: retryAfterMs(headers, now) };
  if (status >= 400 && status < 500 && !OWN_FAILURES.has(status)) return { kind: 'unknown' };
  return { kind: 'failed', cause: `status ${status}`, elapsedMs };
}
