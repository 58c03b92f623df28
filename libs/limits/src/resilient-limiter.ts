import type { Redis } from 'ioredis';
import type { CreditAdmission, CreditHold, CreditSettlement } from './hold.ts';
import { createLocalLimiter } from './local-limiter.ts';
import { createRedisLimiter, GATEWAY_TTL_MS } from './redis-limiter.ts';
import type { BucketCorrection, Limiter, TokenBucketCharge } from './token-bucket.ts';

/** After a failure Redis is left alone for this long, so that requests do not each wait for it. */
const REST_MS = 500;
const BEAT_MS = GATEWAY_TTL_MS / 4;

export interface ResilientLimiter extends Limiter {
  /** As {@link Limiter.admit}, and holds credit; refused while Redis is away, for nobody can say what is left. */
  admitOnCredit(charges: readonly TokenBucketCharge[], hold: CreditHold): Promise<CreditAdmission>;
  /** Corrects the buckets and the hold; while Redis is away the hold is corrected as soon as it is back. */
  settleCredit(corrections: readonly BucketCorrection[], settlement: CreditSettlement): Promise<void>;
  /** Redis did not answer lately: each gateway limits by itself. */
  readonly degraded: boolean;
  close(): void;
}

/**
 * Limits that hold over all gateways while Redis answers within `timeoutMs`, and within each gateway while it does
 * not; credit is given only while it answers. Never throws and never waits longer than the time-out.
 */
export function createResilientLimiter(redis: Redis, options: { timeoutMs?: number } = {}): ResilientLimiter {
  const { timeoutMs = 250 } = options;
  const shared = createRedisLimiter(redis);
  const local = createLocalLimiter();
  let awayUntil = 0;
  const isAway = () => redis.status !== 'ready' || Date.now() < awayUntil;

  /** Undefined when Redis did not answer. */
  async function ask<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (isAway()) return undefined;
    try {
      return await within(timeoutMs, work());
    } catch {
      awayUntil = Date.now() + REST_MS;
      return undefined;
    }
  }

  /** Settlements that Redis does not have yet, by request: the last word on each counts. */
  const unsettled = new Map<string, CreditSettlement>();
  let lends = false;
  const settleLate = async (): Promise<void> => {
    for (const settlement of [...unsettled.values()]) {
      const { requestId } = settlement;
      if ((await ask(async () => (await shared.settleCredit([], settlement), true))) === undefined) return;
      if (unsettled.get(requestId) === settlement) unsettled.delete(requestId);
    }
  };
  const lateTimer = setInterval(() => void settleLate(), REST_MS);
  lateTimer.unref();
  const beatTimer = setInterval(() => {
    if (lends) void ask(() => shared.beat());
  }, BEAT_MS);
  beatTimer.unref();

  return {
    async admit(charges) {
      if (charges.length === 0) return local.admit(charges);
      return (await ask(() => shared.admit(charges))) ?? local.admit(charges);
    },
    async settle(corrections) {
      const settled = await ask(async () => (await shared.settle(corrections), true));
      if (settled === undefined) await local.settle(corrections);
    },
    async admitOnCredit(charges, hold) {
      lends = true;
      const asked = !isAway();
      const admission = await ask(() => shared.admitOnCredit(charges, hold));
      if (admission) return admission;
      // It may have been taken, though nobody heard so.
      if (asked) unsettled.set(hold.requestId, { requestId: hold.requestId, amount: null });
      return { admitted: false, credit: 'unavailable', buckets: [] };
    },
    async settleCredit(corrections, settlement) {
      const settled = await ask(async () => (await shared.settleCredit(corrections, settlement), true));
      if (settled !== undefined) return;
      unsettled.set(settlement.requestId, settlement);
      await local.settle(corrections);
    },
    get degraded() {
      return isAway();
    },
    close() {
      clearInterval(lateTimer);
      clearInterval(beatTimer);
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
