import { readCrowd } from '@tollgate/harness/wait-for';

const LOOK_MS = 250;

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
      spentMs += (now - lookedAt) / crowd();
      lookedAt = now;
      if (spentMs < ms) return;
      clearInterval(timer);
      onLate();
    },
    Math.min(LOOK_MS, ms),
  );
  return () => clearInterval(timer);
}
