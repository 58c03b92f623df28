import type { Redis } from 'ioredis';
import { createLocalLimiter } from './local-limiter.ts';
import { createRedisLimiter } from './redis-limiter.ts';
import type { Limiter } from './token-bucket.ts';

/** After a failure Redis is left alone for this long, so that requests do not each wait for it. */
const REST_MS = 500;

export interface ResilientLimiter extends Limiter {
  /** Redis did not answer lately: each gateway limits by itself. */
  readonly degraded: boolean;
}

/**
 * Limits that hold over all gateways while Redis answers within `timeoutMs`, and within each gateway while it does
 * not. Never throws and never waits longer than the time-out.
 */
export function createResilientLimiter(redis: Redis, options: { timeoutMs?: number } = {}): ResilientLimiter {
  const { timeoutMs = 250 } = options;
  const shared = createRedisLimiter(redis);
  const local = createLocalLimiter();
  let awayUntil = 0;

  async function either<T>(work: (limiter: Limiter) => Promise<T>): Promise<T> {
    if (redis.status !== 'ready' || Date.now() < awayUntil) return work(local);
    try {
      return await within(timeoutMs, work(shared));
    } catch {
      awayUntil = Date.now() + REST_MS;
      return work(local);
    }
  }

  return {
    admit: (charges) =>
      charges.length === 0 ? local.admit(charges) : either((limiter) => limiter.admit(charges)),
    settle: (corrections) => either((limiter) => limiter.settle(corrections)),
    get degraded() {
      return redis.status !== 'ready' || Date.now() < awayUntil;
    },
  };
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
