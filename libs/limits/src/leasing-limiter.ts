import type { CreditAdmission, CreditHold } from './hold.ts';
import { isLeasable, Lease, type Slice } from './lease.ts';
import type { RedisLimiter } from './redis-limiter.ts';
import {
  type Admission,
  toAdmission,
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
  const leases = new Map<string, Lease>();
  const corrections = new Map<
    string,
    { -readonly [name in keyof BucketCorrection]: BucketCorrection[name] }
  >();
  const shapes = new Map<string, Omit<BucketCorrection, 'delta'>>();
  let timer: NodeJS.Timeout | undefined;

  const schedule = (): void => {
    if (!timers || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      void poll().catch(() => {});
    }, POLL_MS);
    timer.unref();
  };

  function leaseOf(charge: Charge, at: number): Lease | undefined {
    if (!isLeasable(charge)) return undefined;
    let lease = leases.get(charge.key);
    if (!lease) {
      lease = new Lease(charge, at);
      leases.set(charge.key, lease);
      const { key, capacity, refillPerMinute } = charge;
      shapes.set(key, { key, capacity, refillPerMinute });
      schedule();
    }
    return lease;
  }

  /** What leases give of the charges; undefined for a charge that Redis must be asked about. */
  function draw(charges: readonly Charge[], at: number): (readonly Slice[] | undefined)[] {
    return charges.map((charge) =>
      isLeasable(charge) ? leases.get(charge.key)?.draw(charge.cost, at) : undefined,
    );
  }
  function putBack(charges: readonly Charge[], drawn: readonly (readonly Slice[] | undefined)[]): void {
    charges.forEach((charge, index) => {
      const slices = drawn[index];
      if (slices) leases.get(charge.key)?.putBack(slices);
    });
  }
  function count(charges: readonly Charge[], at: number): void {
    for (const charge of charges) if (isLeasable(charge)) leaseOf(charge, at)?.count(charge.cost, at);
  }
  const estimates = (charges: readonly Charge[], at: number): readonly BucketState[] =>
    toAdmission(
      charges,
      charges.map((charge) => leases.get(charge.key)?.estimate(at) ?? 0),
      true,
    ).buckets;

  /** The answer where leases cover every charge, without asking anybody. */
  function fromLeases(charges: readonly Charge[]): Admission | undefined {
    const at = now();
    const found: Lease[] = [];
    for (const charge of charges) {
      const lease = isLeasable(charge) && leases.get(charge.key);
      // Two charges of one bucket may be covered each, and not together.
      if (!lease || !lease.covers(charge.cost, at) || found.includes(lease)) return undefined;
      found.push(lease);
    }
    const levels = charges.map((charge, index) => {
      const lease = found[index];
      if (!lease || !isLeasable(charge)) return 0;
      lease.spend(charge.cost, at);
      lease.count(charge.cost, at);
      return lease.estimate(at);
    });
    return toAdmission(charges, levels, true);
  }

  /** Asks Redis about what no lease covers. */
  async function asking<T extends CreditAdmission>(
    charges: readonly Charge[],
    ask: (rest: readonly Charge[]) => Promise<T>,
  ): Promise<T> {
    const at = now();
    count(charges, at);
    const drawn = draw(charges, at);
    const rest = charges.filter((_charge, index) => drawn[index] === undefined);
    try {
      const answer = await ask(rest);
      if (!answer.admitted) putBack(charges, drawn);
      rest.forEach((charge, index) => {
        const level = answer.buckets[index]?.remaining;
        if (level !== undefined) leases.get(charge.key)?.seen(level, now());
      });
      if (rest.length === charges.length || answer.buckets.length !== rest.length) return answer;
      const guessed = estimates(charges, now());
      let next = 0;
      const buckets = charges.map(
        (_charge, index) => (drawn[index] ? guessed[index] : answer.buckets[next++]) as BucketState,
      );
      return { ...answer, buckets };
    } catch (error) {
      putBack(charges, drawn);
      throw error;
    }
  }

  async function takeAhead(charges: readonly Charge[], rest: readonly Charge[]): Promise<Admission> {
    if (!charges.every(isLeasable)) return shared.admit(rest);
    const askedAt = now();
    const asked = rest.map((charge) =>
      isLeasable(charge) ? (leaseOf(charge, askedAt)?.ask(charge.cost, askedAt) ?? 0) : 0,
    );
    const got = (leased: readonly number[]) =>
      rest.forEach((charge, index) =>
        leases.get(charge.key)?.got(asked[index] ?? 0, leased[index] ?? 0, askedAt),
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
    const at = now();
    for (const [key, lease] of leases) {
      const shape = shapes.get(key);
      const lapsed = lease.takeLapsed(at, all);
      if (lapsed > 0 && shape) correctLater({ ...shape, delta: -lapsed });
      if (lease.idle(at)) {
        leases.delete(key);
        shapes.delete(key);
      }
    }
    const due = [...corrections.values()].filter(({ delta }) => delta !== 0);
    corrections.clear();
    if (leases.size > 0) schedule();
    if (due.length > 0) await shared.settle(due);
  }

  return {
    async admit(charges) {
      return fromLeases(charges) ?? asking(charges, (rest) => takeAhead(charges, rest));
    },
    admitOnCredit: (charges, hold) => asking(charges, (rest) => shared.admitOnCredit(rest, hold)),
    async settle(given) {
      const now: Correction[] = [];
      for (const each of given) {
        if (isSlotRelease(each) || !leases.has(each.key)) now.push(each);
        else correctLater(each);
      }
      if (now.length > 0) await shared.settle(now);
    },
    poll: () => poll(),
    async close() {
      if (timer) clearTimeout(timer);
      await poll(true);
      if (timer) clearTimeout(timer);
    },
  };
}
