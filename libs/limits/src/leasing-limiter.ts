import type { CreditAdmission, CreditHold } from './hold.ts';
import { isLeasable } from './lease.ts';
import { Leases } from './leases.ts';
import type { RedisLimiter } from './redis-limiter.ts';
import {
  type Admission,
  type BucketCorrection,
  type BucketState,
  type Charge,
  type Correction,
  isSlotRelease,
  type Limiter,
} from './token-bucket.ts';

const POLL_MS = 100;

export interface LeasingLimiter extends Limiter {
  admitOnCredit(charges: readonly Charge[], hold: CreditHold): Promise<CreditAdmission>;
  /** The answer where leases cover every charge; undefined where Redis must be asked. */
  admitLeased(charges: readonly Charge[]): Admission | undefined;
  /** Keeps what leases have of corrections until the next poll. @returns the others, which Redis must be told. */
  gather(corrections: readonly Correction[]): readonly Correction[];
  /** Gives back what has lapsed, and corrects what was gathered. */
  poll(): Promise<void>;
  /** Gives back everything. */
  close(): Promise<void>;
}

/**
 * Limits that are shared over all gateways, of which busy buckets are leased: a gateway takes an amount ahead of its
 * requests, and most of them need not ask Redis. Requests that have a limit which is not leased, or a hold, ask always.
 */
export function createLeasingLimiter(
  shared: RedisLimiter,
  options: { readonly now?: () => number; readonly timers?: boolean } = {},
): LeasingLimiter {
  const { now = () => performance.now(), timers = true } = options;
  const leases = new Leases(() => schedule());
  const corrections = new Map<
    string,
    { -readonly [name in keyof BucketCorrection]: BucketCorrection[name] }
  >();
  let timer: NodeJS.Timeout | undefined;

  const schedule = (): void => {
    if (!timers || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      void poll().catch(() => {});
    }, POLL_MS);
    timer.unref();
  };

  /** Asks Redis about what no lease covers. */
  async function asking<T extends CreditAdmission>(
    charges: readonly Charge[],
    ask: (rest: readonly Charge[]) => Promise<T>,
  ): Promise<T> {
    const at = now();
    leases.count(charges, at);
    const drawn = leases.draw(charges, at);
    const rest = charges.filter((_charge, index) => drawn[index] === undefined);
    try {
      const answer = await ask(rest);
      if (!answer.admitted) leases.putBack(charges, drawn);
      rest.forEach((charge, index) => {
        const level = answer.buckets[index]?.remaining;
        if (level !== undefined) leases.find(charge.key)?.seen(level, now());
      });
      if (rest.length === charges.length || answer.buckets.length !== rest.length) return answer;
      const guessed = leases.estimate(charges, now());
      let next = 0;
      const buckets = charges.map(
        (_charge, index) => (drawn[index] ? guessed[index] : answer.buckets[next++]) as BucketState,
      );
      return { ...answer, buckets };
    } catch (error) {
      leases.putBack(charges, drawn);
      throw error;
    }
  }

  async function takeAhead(charges: readonly Charge[], rest: readonly Charge[]): Promise<Admission> {
    if (!charges.every(isLeasable)) return shared.admit(rest);
    const askedAt = now();
    const asked = rest.map((charge) =>
      isLeasable(charge) ? (leases.open(charge, askedAt)?.ask(charge.cost, askedAt) ?? 0) : 0,
    );
    const got = (leased: readonly number[]) =>
      rest.forEach((charge, index) =>
        leases.find(charge.key)?.got(asked[index] ?? 0, leased[index] ?? 0, askedAt),
      );
    try {
      const { admission, leased } = await shared.take(rest, asked);
      got(leased);
      return admission;
    } catch (error) {
      got([]);
      throw error;
    }
  }

  /** Gathered, and told together with the next poll. */
  function correctLater(correction: BucketCorrection): void {
    const before = corrections.get(correction.key);
    if (before) before.delta += correction.delta;
    else corrections.set(correction.key, { ...correction });
    schedule();
  }

  async function poll(all = false): Promise<void> {
    for (const given of leases.lapse(now(), all)) correctLater(given);
    const due = [...corrections.values()].filter(({ delta }) => delta !== 0);
    corrections.clear();
    if (leases.size > 0) schedule();
    if (due.length > 0) await shared.settle(due);
  }

  const admitLeased = (charges: readonly Charge[]) => leases.admit(charges, now());

  function gather(corrections: readonly Correction[]): readonly Correction[] {
    const others: Correction[] = [];
    for (const each of corrections) {
      if (isSlotRelease(each) || !leases.find(each.key)) others.push(each);
      else correctLater(each);
    }
    return others;
  }

  return {
    admitLeased,
    gather,
    async admit(charges) {
      return admitLeased(charges) ?? asking(charges, (rest) => takeAhead(charges, rest));
    },
    admitOnCredit: (charges, hold) => asking(charges, (rest) => shared.admitOnCredit(rest, hold)),
    async settle(corrections) {
      const others = gather(corrections);
      if (others.length > 0) await shared.settle(others);
    },
    poll: () => poll(),
    async close() {
      if (timer) clearTimeout(timer);
      await poll(true);
      if (timer) clearTimeout(timer);
    },
  };
}
