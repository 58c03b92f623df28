import type { Availability } from '@tollgate/contracts';

/** What is known of a member at this moment. Times are milliseconds since 1970. */
export interface Load {
  availability(now: number): Availability;
  /** Requests under way, at this gateway. */
  readonly outstanding: number;
  /** Peak EWMA of the time to the first byte in milliseconds; undefined before anything was measured. */
  latencyMs(now: number): number | undefined;
}

/** One upstream and credential that can serve a request. */
export interface Member {
  readonly id: string;
  /** Lower is tried first. Members of equal priority make a tier. */
  readonly priority: number;
  /** The share of its tier, relative to the others'; a member of weight 0 is tried after all others of its tier. */
  readonly weight: number;
  /** What this request would cost here, in any unit that is the same for all members; undefined is the most expensive. */
  readonly costPerRequest?: number | undefined;
  readonly load: Load;
}

export const STRATEGIES = ['weighted', 'least-outstanding', 'latency', 'cheapest', 'sticky'] as const;
export type Strategy = (typeof STRATEGIES)[number];

export interface StickyBound {
  /** How far above its fair share of the requests under way a member may go, e.g. 1.25. */
  readonly factor: number;
  /** Requests under way that a member may always have, however few the others have. */
  readonly floor: number;
}

export interface BalanceContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** What `sticky` keeps together, e.g. a conversation; without it `sticky` is `weighted`. */
  readonly key?: string | undefined;
  readonly stickyBound?: StickyBound;
}
