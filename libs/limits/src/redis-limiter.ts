import { randomUUID } from 'node:crypto';
import { type CreditScope, creditRedisKey, gatewayRedisKey, HOLDS_REDIS_KEY } from '@tollgate/contracts';
import { ADMISSION, ADMISSION_PRELUDE, GATEWAY_TTL_MS } from './admission-script.ts';
import { readHold, writeHold } from './hold-record.ts';
import type { CreditAdmission, CreditHold, CreditSettlement } from './hold.ts';
import {
  type BucketWork,
  type CreditWork,
  NOTHING,
  type Outcome,
  type ShardPlan,
  type SlotWork,
  type Work,
} from './shard-plan.ts';
import { createShardRunner } from './shard-runner.ts';
import { createShards } from './shards.ts';
import type { RedisClient } from './script.ts';
import {
  type Admission,
  toAdmission,
  type Charge,
  type Correction,
  isSlotCharge,
  isSlotRelease,
  type Limiter,
  needed,
  type SlotRelease,
} from './token-bucket.ts';

export interface RedisLimiter extends Limiter {
  /** As {@link Limiter.admit}. @param leases what is taken beside each charge, where it is there. */
  take(charges: readonly Charge[], leases?: readonly number[]): Promise<Taken>;
  /** Takes every charge and holds the amount in every scope, or does nothing of it. */
  admitOnCredit(charges: readonly Charge[], hold: CreditHold): Promise<CreditAdmission>;
  /** Corrects the limits, and the hold to what the request really costs; repeating it changes nothing. */
  settleCredit(corrections: readonly Correction[], settlement: CreditSettlement): Promise<void>;
  /** Says that this gateway lives; {@link admitOnCredit} says it too. */
  beat(): Promise<void>;
  /** Says that requests still have their slots: those that nobody speaks for lapse. */
  renew(slots: readonly SlotRelease[]): Promise<void>;
  /** Whether Redis, or a part of it, did not answer lately. */
  readonly degraded: boolean;
}

interface Taken {
  readonly admission: Admission;
  /** What each charge got beside its cost. */
  readonly leased: readonly number[];
}

interface RedisLimiterOptions {
  /** For tests; without it the server's clock counts. */
  readonly now?: () => number | '';
  /** The name of this process, whose holds are taken back when it dies. */
  readonly gateway?: string;
  /** Redis is not waited for any longer, and then left alone for a while. */
  readonly timeoutMs?: number;
  /** For tests: keys of different shards are never in one script call. */
  readonly findShard?: (key: string) => number;
}

/**
 * Limits and credit in Redis, exact over all gateways: one script call for everything about a request. In a cluster it is one
 * call for each slot that the request touches, all at once; when one of them refuses, what the others took is given back
 * before this answers.
 */
export function createRedisLimiter(redis: RedisClient, options: RedisLimiterOptions = {}): RedisLimiter {
  const { now = () => '', gateway = randomUUID(), timeoutMs, findShard } = options;
  const shards = createShards(redis, { prelude: ADMISSION_PRELUDE, body: ADMISSION, timeoutMs, findShard });
  const runner = createShardRunner(shards, now);
  const alive = gatewayRedisKey(gateway);

  return {
    async admit(charges) {
      if (charges.length === 0) return { admitted: true, buckets: [] };
      const outcome = await runner.take(workOf(charges));
      return toAdmission(charges, levelsOf(charges, outcome), outcome.admitted);
    },
    async take(charges, leases) {
      const outcome = await runner.take(workOf(charges, undefined, leases));
      let bucket = 0;
      return {
        admission: toAdmission(charges, levelsOf(charges, outcome), outcome.admitted),
        leased: charges.map((charge) => (isSlotCharge(charge) ? 0 : (outcome.leased[bucket++] ?? 0))),
      };
    },
    async settle(corrections) {
      if (corrections.length > 0) await runner.apply(correctionsOf(corrections));
    },
    async admitOnCredit(charges, hold) {
      const outcome = await runner.take(
        workOf(charges, {
          what: 'hold',
          requestId: hold.requestId,
          amount: hold.amount,
          scopes: hold.scopes.map(creditRedisKey),
          holds: HOLDS_REDIS_KEY,
          record: writeHold(hold, gateway, Date.now()),
          alive,
        }),
      );
      const levels = levelsOf(charges, outcome);
      if (outcome.admitted) return toAdmission(charges, levels, true);
      return creditRefusal(hold, outcome.scopes, charges, levels) ?? toAdmission(charges, levels, false);
    },
    async settleCredit(corrections, settlement) {
      const { requestId, amount } = settlement;
      const scopes = settlement.scopes ?? (await scopesOf(redis, requestId));
      const work = correctionsOf(corrections, {
        what: 'settle',
        requestId,
        amount: amount ?? '',
        scopes: scopes.map(creditRedisKey),
        holds: HOLDS_REDIS_KEY,
        record: 'x',
        alive: undefined,
      });
      // While the record is there, what is still held is found again.
      const isRecord = ({ work: { credit } }: ShardPlan) => amount === null && credit?.holds !== undefined;
      await runner.apply(work, isRecord);
    },
    async beat() {
      await redis.set(alive, '1', 'PX', GATEWAY_TTL_MS);
    },
    async renew(slots) {
      const renewals = slots.map((each) => ({ ...each, what: 'renew' as const }));
      for (let at = 0; at < renewals.length; at += PAGE)
        await runner.apply({ buckets: [], slots: renewals.slice(at, at + PAGE), credit: undefined });
    },
    get degraded() {
      return shards.degraded;
    },
  };
}

const PAGE = 200;

async function scopesOf(redis: RedisClient, requestId: string): Promise<readonly CreditScope[]> {
  const record = await redis.hget(HOLDS_REDIS_KEY, requestId);
  return typeof record === 'string' ? readHold(requestId, record).scopes : [];
}

function workOf(charges: readonly Charge[], credit?: CreditWork, leases?: readonly number[]): Work {
  const buckets: BucketWork[] = [];
  const slots: SlotWork[] = [];
  charges.forEach((charge, index) => {
    if (isSlotCharge(charge)) slots.push({ key: charge.key, what: charge.capacity, slot: charge.slot });
    else {
      const { key, capacity, refillPerMinute, cost } = charge;
      buckets.push({
        key,
        capacity,
        refillPerMinute,
        needed: needed(charge),
        taken: cost,
        leased: leases?.[index] ?? 0,
      });
    }
  });
  return { buckets, slots, credit };
}

/** What is left of each charge's limit, in the order of the charges. */
function levelsOf(charges: readonly Charge[], { levels, free }: Outcome): number[] {
  let bucket = 0;
  let slot = 0;
  return charges.map((charge) => (isSlotCharge(charge) ? free[slot++] : levels[bucket++]) ?? 0);
}

function correctionsOf(corrections: readonly Correction[], credit?: CreditWork): Work {
  const buckets: BucketWork[] = [];
  const slots: SlotWork[] = [];
  for (const correction of corrections) {
    if (isSlotRelease(correction))
      slots.push({ key: correction.key, slot: correction.slot, what: 'release' });
    else {
      const { key, capacity, refillPerMinute, delta } = correction;
      buckets.push({ key, capacity, refillPerMinute, needed: NOTHING, taken: delta, leased: 0 });
    }
  }
  return { buckets, slots, credit };
}

/** Which scope was in the way, if one was: waiting does not change that, so it is said before any rate limit. */
function creditRefusal(
  { scopes, amount }: CreditHold,
  found: readonly string[],
  charges: readonly Charge[],
  levels: readonly number[],
): CreditAdmission | undefined {
  const { buckets } = toAdmission(charges, levels, true);
  const unknown = scopes.filter((_scope, index) => found[index] === '');
  if (unknown.length > 0) return { admitted: false, buckets, credit: 'unknown', scopes: unknown };
  const states = scopes.map((scope, index) => stateOf(scope, found[index] ?? ''));
  const least = states.reduce((a, b) => (b.left - b.held < a.left - a.held ? b : a));
  if (least.left - least.held >= amount) return undefined;
  return { admitted: false, buckets, credit: 'insufficient', ...least };
}

function stateOf(scope: CreditScope, text: string): { scope: CreditScope; left: number; held: number } {
  const [left, held] = text.split(':');
  return { scope, left: Number(left), held: Number(held) };
}
