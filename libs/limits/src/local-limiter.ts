import { LRUCache } from 'lru-cache';
import { createOpenSlots, type OpenSlots } from './open-slots.ts';
import {
  toAdmission,
  type Charge,
  type Correction,
  isSlotCharge,
  isSlotRelease,
  type Limiter,
  MINUTE_MS,
  needed,
  type TokenBucketCharge,
} from './token-bucket.ts';

const BUCKETS_MAX = 100_000;

interface Bucket {
  readonly level: number;
  readonly at: number;
}

/** The same limits in this process alone, for the time that Redis is away. */
export function createLocalLimiter(
  now: () => number = () => performance.now(),
  slots: OpenSlots = createOpenSlots(),
): Limiter {
  const buckets = new LRUCache<string, Bucket>({ maxSize: BUCKETS_MAX, sizeCalculation: () => 1 });

  const levelOf = ({ key, capacity, refillPerMinute }: BucketShape, at: number): number => {
    const held = buckets.get(key);
    if (!held) return capacity;
    return Math.min(capacity, held.level + (Math.max(0, at - held.at) * refillPerMinute) / MINUTE_MS);
  };
  const leftOf = (charge: Charge, at: number): number =>
    isSlotCharge(charge) ? charge.capacity - slots.count(charge.key) : levelOf(charge, at);

  return {
    admit(charges) {
      const at = now();
      const levels = charges.map((charge) => leftOf(charge, at));
      const admitted = charges.every((charge, index) => (levels[index] ?? 0) >= needed(charge));
      if (!admitted) return Promise.resolve(toAdmission(charges, levels, false));
      const after = charges.map((charge, index) => {
        const left = levels[index] ?? 0;
        if (isSlotCharge(charge)) {
          slots.add(charge.key, charge.slot);
          return left - 1;
        }
        const level = Math.min(charge.capacity, left - charge.cost);
        buckets.set(charge.key, { level, at });
        return level;
      });
      return Promise.resolve(toAdmission(charges, after, true));
    },
    settle(corrections: readonly Correction[]) {
      const at = now();
      for (const correction of corrections) {
        if (isSlotRelease(correction)) {
          slots.remove(correction.key, correction.slot);
          continue;
        }
        const level = Math.min(correction.capacity, levelOf(correction, at) - correction.delta);
        buckets.set(correction.key, { level, at });
      }
      return Promise.resolve();
    },
  };
}

type BucketShape = Pick<TokenBucketCharge, 'key' | 'capacity' | 'refillPerMinute'>;
