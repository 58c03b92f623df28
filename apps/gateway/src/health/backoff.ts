interface BackoffSettings {
  readonly baseMs: number;
  readonly mostMs: number;
}

const BACKOFF_DEFAULTS: BackoffSettings = { baseMs: 100, mostMs: 5_000 };

/**
 * Milliseconds to wait before a further attempt at the same upstream: anywhere between 0 and a limit that doubles with
 * each attempt ("full jitter"), on top of what the upstream itself asked for. An upstream's wish is never cut short:
 * where it is too long, the retry must be given up.
 *
 * @param retry 1 before the first retry
 * @param retryAfterMs what the upstream asked for
 */
export function backoffMs(
  retry: number,
  retryAfterMs = 0,
  random: () => number = Math.random,
  { baseMs, mostMs }: BackoffSettings = BACKOFF_DEFAULTS,
): number {
  return retryAfterMs + random() * Math.min(mostMs, baseMs * 2 ** (retry - 1));
}
