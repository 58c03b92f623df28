/** What one attempt at an upstream says about it. Times are milliseconds since the attempt began. */
export type Outcome =
  /** It answered with success. */
  | { readonly kind: 'answered'; readonly firstByteMs: number }
  | { readonly kind: 'failed'; readonly cause: FailureCause; readonly elapsedMs: number }
  | { readonly kind: 'rate-limited'; readonly status: number; readonly retryAfterMs: number | undefined }
  /** The upstream refused our credential. Where that is not certain it may have refused what one caller asks for. */
  | { readonly kind: 'refused'; readonly status: number; readonly isCertain: boolean }
  /** It says nothing: the caller went away, or sent what no upstream would take. */
  | { readonly kind: 'unknown' };

/** `broken`: the connection or the stream ended before its first byte. */
type FailureCause = 'connect' | 'timeout' | 'broken' | `status ${number}`;
