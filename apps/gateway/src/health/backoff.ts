import { type BackoffSettings, DEFAULTS } from './settings.ts';

/**
 * Milliseconds to wait before a further attempt at the same upstream: anywhere between 0 and a limit that grows with
 * each attempt ("full jitter"), on top of what the upstream itself asked for. What it asked for is never cut short:
 * where it is too long, the retry must be given up.
 *
 * @param retry 1 before the first retry
 * @param retryAfterMs what the upstream asked for
 */
export function backoffMs(
  retry: number,
  retryAfterMs = 0,
  random: () => number = Math.random,
  { initialMs, maxMs, factor }: BackoffSettings = DEFAULTS.backoff,
): number {
  return retryAfterMs + random() * Math.min(maxMs, initialMs * factor ** (retry - 1));
}
