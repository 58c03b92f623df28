import { isLeasable, Lease, type Slice } from './lease.ts';
import {
  type Admission,
  type BucketCorrection,
  type BucketState,
  type Charge,
  toAdmission,
} from './token-bucket.ts';

/** What leases gave of each charge; undefined for a charge that Redis must be asked about. */
type Drawn = readonly (readonly Slice[] | undefined)[];

/** The leases of this process, by the key of their bucket. */
export class Leases {
  private readonly leases = new Map<string, Lease>();
  private readonly shapes = new Map<string, Omit<BucketCorrection, 'delta'>>();
  private readonly onOpened: () => void;

  /** @param onOpened a lease is there from now on, and will lapse. */
  constructor(onOpened: () => void) {
    this.onOpened = onOpened;
  }

  get size(): number {
    return this.leases.size;
  }

  find(key: string): Lease | undefined {
    return this.leases.get(key);
  }

  /** Undefined for a charge whose bucket is never leased. */
  open(charge: Charge, at: number): Lease | undefined {
    if (!isLeasable(charge)) return undefined;
    let lease = this.leases.get(charge.key);
    if (!lease) {
      lease = new Lease(charge, at);
      this.leases.set(charge.key, lease);
      const { key, capacity, refillPerMinute } = charge;
      this.shapes.set(key, { key, capacity, refillPerMinute });
      this.onOpened();
    }
    return lease;
  }

  /** The answer where leases cover every charge, without asking anybody. */
  admit(charges: readonly Charge[], at: number): Admission | undefined {
    const found: Lease[] = [];
    for (const charge of charges) {
      const lease = isLeasable(charge) && this.leases.get(charge.key);
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

  /** Counts what a request needs, whoever gives it. */
  count(charges: readonly Charge[], at: number): void {
    for (const charge of charges) if (isLeasable(charge)) this.open(charge, at)?.count(charge.cost, at);
  }

  draw(charges: readonly Charge[], at: number): Drawn {
    return charges.map((charge) =>
      isLeasable(charge) ? this.leases.get(charge.key)?.draw(charge.cost, at) : undefined,
    );
  }

  putBack(charges: readonly Charge[], drawn: Drawn): void {
    charges.forEach((charge, index) => {
      const slices = drawn[index];
      if (slices) this.leases.get(charge.key)?.putBack(slices);
    });
  }

  estimate(charges: readonly Charge[], at: number): readonly BucketState[] {
    const levels = charges.map((charge) => this.leases.get(charge.key)?.estimate(at) ?? 0);
    return toAdmission(charges, levels, true).buckets;
  }

  /** What is to be given back of leases that lapsed, or of all; those that nobody uses any more are dropped. */
  lapse(at: number, all: boolean): BucketCorrection[] {
    const given: BucketCorrection[] = [];
    for (const [key, lease] of this.leases) {
      const shape = this.shapes.get(key);
      const lapsed = lease.takeLapsed(at, all);
      if (lapsed > 0 && shape) given.push({ ...shape, delta: -lapsed });
      if (lease.idle(at)) {
        this.leases.delete(key);
        this.shapes.delete(key);
      }
    }
    return given;
  }
}
