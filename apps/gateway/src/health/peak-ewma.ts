interface PeakEwma {
  observe(ms: number, now: number): void;
  /** Nothing is under way any more: from here on the estimate fades. */
  rest(now: number): void;
  /** Milliseconds; undefined before the first observation. */
  value(now: number, busy: boolean): number | undefined;
}

/**
 * A moving average of latencies that follows a peak at once and forgets it with the time constant `decayMs`: after
 * that time an observation has 37 % of its weight left. While a member rests its estimate fades towards 0, so that one
 * that was slow is tried again; while it is busy it does not: silence of a busy member is no good news.
 */
export function createPeakEwma(decayMs: number): PeakEwma {
  let estimate: number | undefined;
  let observedAt = 0;
  let restingSince = 0;
  return {
    observe(ms, now) {
      if (estimate === undefined || ms > estimate) {
        estimate = ms;
      } else {
        const kept = Math.exp(-Math.max(0, now - observedAt) / decayMs);
        estimate = estimate * kept + ms * (1 - kept);
      }
      observedAt = now;
      restingSince = now;
    },
    rest(now) {
      restingSince = now;
    },
    value(now, busy) {
      if (estimate === undefined || busy) return estimate;
      return estimate * Math.exp(-Math.max(0, now - restingSince) / decayMs);
    },
  };
}
