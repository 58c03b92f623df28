import { type BackoffSettings, DEFAULTS } from './settings.ts';

/**
 * Milliseconds to wait before a further attempt at the same upstream: anywhere between 0 and a limit that grows with
 * each attempt ("full jitter").
 *
 * @param retry 1 before the first retry
 */
export function backoffMs(
  retry: number,
  random: () => number = Math.random,
  { initialMs, maxMs, factor }: BackoffSettings = DEFAULTS.backoff,
): number {
  return random() * Math.min(maxMs, initialMs * factor ** (retry - 1));
}
