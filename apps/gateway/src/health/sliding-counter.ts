interface SlidingCounter {
  add(now: number, count?: number): void;
  /** What was added in the window that ends now. */
  sum(now: number): number;
  clear(): void;
}

/**
 * Counts over a sliding window, in buckets: what was added drops out between `windowMs` less one bucket and `windowMs`
 * later. A clock that steps back by less than a window adds to the newest bucket, one that steps back further starts
 * again.
 */
export function createSlidingCounter(windowMs: number, buckets: number): SlidingCounter {
  const width = windowMs / buckets;
  const counts = new Float64Array(buckets);
  let newest = 0;
  let sum = 0;

  function clear(): void {
    counts.fill(0);
    sum = 0;
  }

  function advance(now: number): void {
    const bucket = Math.floor(now / width);
    if (bucket >= newest + buckets || bucket <= newest - buckets) {
      clear();
      newest = bucket;
    }
    while (newest < bucket) {
      newest += 1;
      const slot = newest % buckets;
      sum -= counts[slot] ?? 0;
      counts[slot] = 0;
    }
  }

  return {
    add(now, count = 1) {
      advance(now);
      const slot = newest % buckets;
      counts[slot] = (counts[slot] ?? 0) + count;
      sum += count;
    },
    sum(now) {
      advance(now);
      return sum;
    },
    clear,
  };
}
