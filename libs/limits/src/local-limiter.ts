import { LRUCache } from 'lru-cache';
import {
  admissionOf,
  type BucketCorrection,
  type Limiter,
  MINUTE_MS,
  needed,
  type TokenBucketCharge,
} from './token-bucket.ts';

const MOST_BUCKETS = 100_000;

interface Bucket {
  readonly level: number;
  readonly at: number;
}

/** The same buckets in this process alone, for the time that Redis is away. */
export function createLocalLimiter(now: () => number = Date.now): Limiter {
  const buckets = new LRUCache<string, Bucket>({ max: MOST_BUCKETS });

  const levelOf = ({ key, capacity, refillPerMinute }: BucketShape, at: number): number => {
    const held = buckets.get(key);
    if (!held) return capacity;
    return Math.min(capacity, held.level + (Math.max(0, at - held.at) * refillPerMinute) / MINUTE_MS);
  };

  return {
    admit(charges: readonly TokenBucketCharge[]) {
      const at = now();
      const levels = charges.map((charge) => levelOf(charge, at));
      const admitted = charges.every((charge, index) => (levels[index] ?? 0) >= needed(charge));
      if (!admitted) return Promise.resolve(admissionOf(charges, levels, false));
      const after = charges.map(({ key, capacity, cost }, index) => {
        const level = Math.min(capacity, (levels[index] ?? 0) - cost);
        buckets.set(key, { level, at });
        return level;
      });
      return Promise.resolve(admissionOf(charges, after, true));
    },
    settle(corrections: readonly BucketCorrection[]) {
      const at = now();
      for (const correction of corrections) {
        const level = Math.min(correction.capacity, levelOf(correction, at) - correction.delta);
        buckets.set(correction.key, { level, at });
      }
      return Promise.resolve();
    },
  };
}

type BucketShape = Pick<TokenBucketCharge, 'key' | 'capacity' | 'refillPerMinute'>;
