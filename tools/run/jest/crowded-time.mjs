import { availableParallelism, loadavg } from 'node:os';

const LOOK_MS = 250;
/** A machine that says that it is more crowded than this does not count as such: what hangs is ended some day. */
const MAX_CROWD = 8;

/** How many work on each processor, as far as that is more than one. */
const readCrowd = () => loadavg()[0] / availableParallelism();

/**
 * Calls `onLate` once `ms` have gone by, where time goes by slower the more share a processor: a test that gets an eighth of one is
 * given eight times as long. @returns what stops it.
 */
export function startCrowdedTimer(ms, onLate, crowd = readCrowd) {
  let spentMs = 0;
  let lookedAt = performance.now();
  const timer = setInterval(
    () => {
      const now = performance.now();
      spentMs += (now - lookedAt) / Math.min(MAX_CROWD, Math.max(1, crowd()));
      lookedAt = now;
      if (spentMs < ms) return;
      clearInterval(timer);
      onLate();
    },
    Math.min(LOOK_MS, ms),
  );
  return () => clearInterval(timer);
}
