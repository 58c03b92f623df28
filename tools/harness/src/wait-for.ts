import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** At first; what does not come soon is asked for less and less often, for asking takes the time of who is waited for. */
const EVERY_MS = { initial: 20, max: 250, ofWait: 1 / 8 };
/** A pause that took so much longer than it was to be says that this process, or the machine, stood still: so did what is waited for. */
const STOOD_STILL_MS = 1_000;

/** A machine that says that it is more crowded than this does not count as such: what hangs is ended some day. */
const MAX_CROWD = 8;

/** How many share a processor of this machine, at least one: whatever is done takes as many times as long. */
export const readCrowd = (): number =>
  Math.min(MAX_CROWD, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()));

/**
 * Asks again until `check` answers something that is neither undefined, null nor false, or fails after `timeoutMs` of a machine
 * that is not crowded.
 *
 * @param everyMs how often, where what is waited for would pass by.
 */
export async function waitFor<T>(
  check: () => T | undefined | null | false | Promise<T | undefined | null | false>,
  what: string,
  timeoutMs = 30_000,
  everyMs?: number,
  crowd = readCrowd,
): Promise<T> {
  const startedAt = performance.now();
  let [spentMs, lookedAt] = [0, startedAt];
  for (;;) {
    const answer = await check();
    if (answer !== undefined && answer !== null && answer !== false) return answer;
    const askedAt = performance.now();
    spentMs += (askedAt - lookedAt) / crowd();
    lookedAt = askedAt;
    if (spentMs > timeoutMs) throw new Error(`${what} did not come within ${timeoutMs} ms`);
    const waitedMs = askedAt - startedAt;
    const pauseMs = Math.min(EVERY_MS.max, Math.max(EVERY_MS.initial, waitedMs * EVERY_MS.ofWait));
    const restMs = everyMs ?? pauseMs;
    await sleep(restMs);
    const overMs = performance.now() - askedAt - restMs;
    if (overMs > STOOD_STILL_MS) lookedAt += overMs;
  }
}
