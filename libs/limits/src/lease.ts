import { isSlotCharge, type Charge, type TokenBucketCharge } from './token-bucket.ts';

/**
 * Decides when and how much of a bucket a gateway takes in advance. What all gateways together admit in any w milliseconds is
 * bounded by the bucket's capacity plus its refill in w + `ttlMs`, because what is used was taken at most `ttlMs` earlier. See
 * docs/limits.md.
 */
export const LEASE = {
  /** Smaller buckets are never leased: they stay exact. */
  minPerMinute: 6_000,
  /** The most of a bucket that one gateway holds. */
  share: 0.01,
  /** A gateway takes what its requests of the next so many milliseconds will need, at the pace of the last. */
  aheadMs: 200,
  /** What was not used after this long is not used any more, and given back. */
  ttlMs: 500,
  /** A lease that serves fewer requests is not worth it. */
  minRequests: 4,
} as const;

const PACE_MS = 100;

export const isLeasable = (charge: Charge): charge is TokenBucketCharge =>
  !isSlotCharge(charge) && charge.capacity >= LEASE.minPerMinute;

/** An amount of a bucket that was taken, until when it may be used. */
export interface Slice {
  readonly amount: number;
  readonly until: number;
}

/** What this process holds of one bucket. */
export class Lease {
  private slices: { amount: number; readonly until: number }[] = [];
  private pending = 0;
  private used = 0;
  private since: number;
  private pace = 0;
  private lapsed = 0;
  /** The bucket's level when Redis was asked last. */
  private level = 0;
  private levelAt: number;
  private readonly capacity: number;
  private readonly refillPerMinute: number;

  constructor({ capacity, refillPerMinute }: TokenBucketCharge, at: number) {
    this.capacity = capacity;
    this.refillPerMinute = refillPerMinute;
    this.since = at;
    this.levelAt = at;
  }

  /** Counts what a request needs, whoever gives it. */
  count(cost: number, at: number): void {
    if (at - this.since >= PACE_MS) {
      this.pace = this.used / (at - this.since);
      this.used = 0;
      this.since = at;
    }
    this.used += cost;
  }

  available(at: number): number {
    while (this.slices[0] && this.slices[0].until <= at) this.lapsed += this.slices.shift()?.amount ?? 0;
    let sum = 0;
    for (const { amount } of this.slices) sum += amount;
    return sum;
  }

  /** Whether {@link draw} has so much to give. */
  covers(cost: number, at: number): boolean {
    return this.available(at) >= Math.max(cost, 1);
  }

  /** Takes a cost, the oldest first; undefined where there is too little of it, or nothing at all. */
  draw(cost: number, at: number): Slice[] | undefined {
    if (!this.covers(cost, at)) return undefined;
    const drawn: Slice[] = [];
    for (let missing = cost; missing > 0;) {
      const [first] = this.slices;
      if (!first) break;
      const amount = Math.min(first.amount, missing);
      drawn.push({ amount, until: first.until });
      missing -= amount;
      this.takeFromFirst(amount);
    }
    return drawn;
  }

  /** Takes a cost that is covered, for good. */
  spend(cost: number, at: number): void {
    const [first] = this.slices;
    if (first && first.until > at && first.amount >= cost) this.takeFromFirst(cost);
    else this.draw(cost, at);
  }

  private takeFromFirst(amount: number): void {
    const [first] = this.slices;
    if (!first) return;
    first.amount -= amount;
    if (first.amount === 0) this.slices.shift();
  }

  putBack(drawn: readonly Slice[]): void {
    this.slices = [...drawn.map((slice) => ({ ...slice })), ...this.slices].sort((a, b) => a.until - b.until);
  }

  /** How much to ask for beside a cost; counted as on its way until {@link got}. */
  ask(cost: number, at: number): number {
    const pace = Math.max(this.pace, this.used / Math.max(PACE_MS, at - this.since));
    const target = Math.floor(Math.min(this.capacity * LEASE.share, pace * LEASE.aheadMs));
    if (target < LEASE.minRequests * cost) return 0;
    const amount = Math.max(0, target - this.available(at) - this.pending);
    this.pending += amount;
    return amount;
  }

  /** @param askedAt when Redis was asked: what it gave lapses from then on. */
  got(asked: number, amount: number, askedAt: number): void {
    this.pending -= asked;
    if (amount > 0) this.putBack([{ amount, until: askedAt + LEASE.ttlMs }]);
  }

  seen(level: number, at: number): void {
    this.level = level;
    this.levelAt = at;
  }

  /** What the bucket has by now, with what is held here, as far as this process knows. */
  estimate(at: number): number {
    const refilled = this.level + ((at - this.levelAt) * this.refillPerMinute) / 60_000;
    return Math.min(this.capacity, refilled + this.available(at));
  }

  /** What has lapsed since the last time, to be given back; with `all`, what has not lapsed too. */
  takeLapsed(at: number, all = false): number {
    const held = this.available(at);
    const amount = this.lapsed + (all ? held : 0);
    this.lapsed = 0;
    if (all) this.slices = [];
    return amount;
  }

  /** Nothing is held, on its way or expected. */
  idle(at: number): boolean {
    return (
      this.available(at) === 0 && this.lapsed === 0 && this.pending === 0 && at - this.since > 10 * PACE_MS
    );
  }
}
