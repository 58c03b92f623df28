import { GATEWAY_TTL_MS } from './admission-script.ts';
import type { CreditAdmission, CreditHold, CreditSettlement } from './hold.ts';
import { AwayError } from './shards.ts';
import { LateSettlements } from './late-settlements.ts';
import { createLeasingLimiter } from './leasing-limiter.ts';
import { createLocalLimiter } from './local-limiter.ts';
import { createOpenSlots } from './open-slots.ts';
import { createRedisLimiter } from './redis-limiter.ts';
import type { RedisClient } from './script.ts';
import {
  type Admission,
  type Charge,
  type Correction,
  isSlotCharge,
  isSlotRelease,
  type Limiter,
} from './token-bucket.ts';

const BEAT_MS = GATEWAY_TTL_MS / 4;
const SETTLED = Promise.resolve();

export interface ResilientLimiter extends Limiter {
  /** The answer where leases cover every charge, or there is none: nobody need be waited for. Undefined where Redis must be asked. */
  admitLeased(charges: readonly Charge[]): Admission | undefined;
  /** As {@link Limiter.admit}, and holds credit; refused while Redis is away, for nobody can say what is left. */
  admitOnCredit(charges: readonly Charge[], hold: CreditHold): Promise<CreditAdmission>;
  /** Corrects the limits and the hold; while Redis is away the hold is corrected as soon as it is back. */
  settleCredit(corrections: readonly Correction[], settlement: CreditSettlement): Promise<void>;
  /** Redis, or a part of it, did not answer lately: each gateway limits by itself. */
  readonly degraded: boolean;
  /** Gives back what is leased and not used, if Redis is there. */
  close(): Promise<void>;
}

/**
 * Limits that hold over all gateways while Redis answers within `timeoutMs`, and within each gateway while it does not. Credit
 * is given only while Redis answers. Never throws, and never waits longer than the time-out, or twice the time-out where a
 * cluster must give something back.
 */
export function createResilientLimiter(
  redis: RedisClient,
  options: { timeoutMs?: number } = {},
): ResilientLimiter {
  const { timeoutMs = 250 } = options;
  const shared = createRedisLimiter(redis, { timeoutMs });
  const leasing = createLeasingLimiter(shared);
  const slots = createOpenSlots();
  const local = createLocalLimiter(undefined, slots);

  /** Undefined when Redis did not answer. */
  async function ask<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch {
      return undefined;
    }
  }
  /** A slot that was taken in Redis counts here as well, should Redis go away. */
  const remember = <T extends { readonly admitted: boolean }>(
    charges: readonly Charge[],
    admission: T,
  ): T => {
    if (admission.admitted)
      for (const charge of charges) if (isSlotCharge(charge)) slots.add(charge.key, charge.slot);
    return admission;
  };
  const forget = (corrections: readonly Correction[]): void => {
    for (const each of corrections) if (isSlotRelease(each)) slots.remove(each.key, each.slot);
  };

  const late = new LateSettlements((settlement) => shared.settleCredit([], settlement));
  let lends = false;
  const beatTimer = setInterval(() => {
    if (lends && redis.status === 'ready') void ask(() => shared.beat());
    void ask(() => shared.renew(slots.all()));
  }, BEAT_MS);
  beatTimer.unref();

  async function settleShared(all: readonly Correction[], others: readonly Correction[]): Promise<void> {
    const settled = await ask(async () => (await shared.settle(others), true));
    if (settled === undefined) await local.settle(all);
  }

  return {
    admitLeased: (charges) => leasing.admitLeased(charges),
    async admit(charges) {
      const leased = leasing.admitLeased(charges);
      if (leased) return leased;
      const admission = await ask(() => leasing.admit(charges));
      return admission ? remember(charges, admission) : local.admit(charges);
    },
    settle(corrections) {
      forget(corrections);
      const others = leasing.gather(corrections);
      return others.length === 0 ? SETTLED : settleShared(corrections, others);
    },
    async admitOnCredit(charges, hold) {
      lends = true;
      try {
        return remember(charges, await leasing.admitOnCredit(charges, hold));
      } catch (error) {
        const { requestId, scopes } = hold;
        // What was asked may have been taken, though nobody heard so.
        if (!(error instanceof AwayError)) late.note({ requestId, scopes, amount: null });
        return { admitted: false, credit: 'unavailable', buckets: [] };
      }
    },
    async settleCredit(corrections, settlement) {
      forget(corrections);
      const settled = await ask(async () => (await shared.settleCredit(corrections, settlement), true));
      if (settled !== undefined) return;
      late.note(settlement);
      await local.settle(corrections);
    },
    get degraded() {
      return shared.degraded;
    },
    async close() {
      late.close();
      clearInterval(beatTimer);
      await ask(() => leasing.close());
    },
  };
}
