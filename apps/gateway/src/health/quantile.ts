interface Quantile {
  add(ms: number): void;
  /** Milliseconds, at most 10 % too many; undefined before the first. */
  value(): number | undefined;
  /** How many values the estimate rests on. */
  samples(): number;
}

const GROWTH = 1.1;
const LOG_GROWTH = Math.log(GROWTH);
/** The last bucket holds everything above 15 minutes. */
const BUCKETS = Math.ceil(Math.log(900_000) / LOG_GROWTH) + 1;

/**
 * A quantile of latencies as they come, from a histogram whose buckets grow by 10 %. When it holds `memory` values
 * every count is halved, so that old ones fade.
 *
 * @param share which quantile, e.g. 0.95
 */
export function createQuantile(share: number, memory = 1_000): Quantile {
  const counts = new Float64Array(BUCKETS);
  let total = 0;
  return {
    add(ms) {
      if (total >= memory) {
        for (let index = 0; index < BUCKETS; index += 1) counts[index] = (counts[index] ?? 0) / 2;
        total /= 2;
      }
      const bucket = Math.min(BUCKETS - 1, Math.ceil(Math.log(Math.max(1, ms)) / LOG_GROWTH));
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      total += 1;
    },
    value() {
      if (total === 0) return undefined;
      let below = 0;
      const bucket = counts.findIndex((count) => (below += count) >= share * total);
      return GROWTH ** (bucket === -1 ? BUCKETS - 1 : bucket);
    },
    samples: () => total,
  };
}
