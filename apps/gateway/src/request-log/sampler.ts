/** Accounts that are remembered; beyond it those that used least of late are forgotten first. */
const MAX_ACCOUNTS = 10_000;

interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

/** Bounds what is kept of each account: a token bucket that holds what it gets in a minute. */
interface Sampler {
  /** @param now milliseconds of a clock that nobody sets. @returns whether one more is kept. */
  take(account: string, now: number): boolean;
}

/** @param perMinute that are kept of one account; none where it is 0. */
export function createSampler(perMinute: number): Sampler {
  const buckets = new Map<string, Bucket>();
  return {
    take(account, now) {
      const before = buckets.get(account) ?? { tokens: perMinute, at: now };
      const tokens = Math.min(perMinute, before.tokens + ((now - before.at) * perMinute) / 60_000);
      const isKept = tokens >= 1;
      // Set again, it is the newest.
      buckets.delete(account);
      buckets.set(account, { tokens: isKept ? tokens - 1 : tokens, at: now });
      if (buckets.size > MAX_ACCOUNTS) {
        const [oldest] = buckets.keys();
        if (oldest !== undefined) buckets.delete(oldest);
      }
      return isKept;
    },
  };
}
