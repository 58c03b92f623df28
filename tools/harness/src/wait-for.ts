import { setTimeout as sleep } from 'node:timers/promises';

/** At first; what does not come soon is asked for less and less often, for asking takes the time of who is waited for. */
const EVERY_MS = { initial: 20, max: 250, ofWait: 1 / 8 };

/**
 * Asks again until `check` answers something that is neither undefined nor false, or fails after `timeoutMs`.
 *
 * @param everyMs how often, where what is waited for would pass by.
 */
export async function waitFor<T>(
  check: () => T | undefined | false | Promise<T | undefined | false>,
  what: string,
  timeoutMs = 30_000,
  everyMs?: number,
): Promise<T> {
  const startedAt = Date.now();
  for (;;) {
    const answer = await check();
    if (answer !== undefined && answer !== false) return answer;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`${what} did not come within ${timeoutMs} ms`);
    const pauseMs = Math.min(EVERY_MS.max, Math.max(EVERY_MS.initial, waitedMs * EVERY_MS.ofWait));
    await sleep(everyMs ?? pauseMs);
  }
}
