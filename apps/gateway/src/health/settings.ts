/*
 * How the gateway judges its upstreams: every setting with its unit, default and range, and in DEFAULTS the values that run.
 * None of them is set from outside; `retry_percent`, `hedge` and `probe_interval_s` of the catalogue are.
 */

/** When an upstream is held back for its failures, and when it is tried again. */
export interface BreakerSettings {
  /** Opens after so many failures in a row. @default 5 @range 1 and more */
  readonly consecutiveFailures: number;
  /** Opens when this share of the window's requests failed, of at least `minVolume`. @default 0.5 @range 0 to 1 */
  readonly failureRate: number;
  /** Requests in the window below which their share of failures says nothing. @default 20 @range 1 and more */
  readonly minVolume: number;
  /** Milliseconds that are looked back. @default 30,000 @range above 0 */
  readonly windowMs: number;
  /** Parts of the window that leave it one by one. @default 10 @range 1 and more */
  readonly buckets: number;
  /** Milliseconds that it stays open the first time; again within `forgetMs` twice as long. @default 5,000 @range above 0 */
  readonly initialBackoffMs: number;
  /** Milliseconds that it stays open at most. @default 300,000 @range `initialBackoffMs` and more */
  readonly maxBackoffMs: number;
  /** The share of the back-off that chance may take off, so that gateways do not probe all at once. @default 0.2 @range 0 to 1 */
  readonly jitter: number;
  /** Milliseconds closed after which the back-off starts from the beginning. @default 60,000 @range 0 and more */
  readonly forgetMs: number;
  /** Requests that may be under way at once while it is half-open. @default 1 @range 1 and more */
  readonly maxProbes: number;
  /** Successes while it is half-open that close it. @default 2 @range 1 and more */
  readonly successesToClose: number;
  /** Milliseconds for which a success of our own counts for more than another gateway's word. @default 5,000 @range 0 and more */
  readonly ownWordMs: number;
}

export interface TargetSettings {
  readonly breaker: BreakerSettings;
  /** Milliseconds after which a measured latency has 37 % of its weight left. @default 10,000 @range above 0 */
  readonly latencyDecayMs: number;
  /** Milliseconds that a failure counts as latency at least: what fails fast must not look fast. @default 2,000 @range 0 and more */
  readonly minFailureLatencyMs: number;
  /** Milliseconds to cool down after a rate limit that does not say how long. @default 1,000 @range 0 and more */
  readonly defaultCooldownMs: number;
  /** The longest wait, in milliseconds, that is believed. @default 3,600,000 @range 0 and more */
  readonly maxCooldownMs: number;
}

/** Retries and hedges as a share of the traffic. */
export interface RetryBudgetSettings {
  /** Of each request; the catalogue's `retry_percent`. @default 0.2 @range 0 and more */
  readonly share: number;
  /** Retries per second that are always allowed, however little traffic there is. @default 1 @range 0 and more */
  readonly minPerSecond: number;
  /** Milliseconds over which both are counted. @default 10,000 @range above 0 */
  readonly windowMs: number;
}

export interface HedgingSettings {
  /** A second attempt starts when the first has taken longer than this share of all. @default 0.95 @range 0 to 1 */
  readonly quantile: number;
  /** Measurements below which nothing is hedged. @default 50 @range 1 and more */
  readonly minSamples: number;
  /** Milliseconds before which nothing is hedged. @default 100 @range 0 and more */
  readonly minMs: number;
}

/** How long to wait before a further attempt at the same upstream. */
export interface BackoffSettings {
  /** Milliseconds before the first retry, at most. @default 100 @range above 0 */
  readonly initialMs: number;
  /** Milliseconds before any retry, at most. @default 5,000 @range `initialMs` and more */
  readonly maxMs: number;
  /** By which it grows with each retry. @default 2 @range 1 and more */
  readonly factor: number;
}

interface HealthSettings {
  readonly target: TargetSettings;
  /** The largest share of a pool that the breakers may hold back at once. @default 0.5 @range 0 to 1 */
  readonly maxEjectedShare: number;
  readonly retryBudget: RetryBudgetSettings;
  readonly hedging: HedgingSettings;
  readonly backoff: BackoffSettings;
}

export const DEFAULTS: HealthSettings = {
  target: {
    breaker: {
      consecutiveFailures: 5,
      failureRate: 0.5,
      minVolume: 20,
      windowMs: 30_000,
      buckets: 10,
      initialBackoffMs: 5_000,
      maxBackoffMs: 300_000,
      jitter: 0.2,
      forgetMs: 60_000,
      maxProbes: 1,
      successesToClose: 2,
      ownWordMs: 5_000,
    },
    latencyDecayMs: 10_000,
    minFailureLatencyMs: 2_000,
    defaultCooldownMs: 1_000,
    maxCooldownMs: 3_600_000,
  },
  maxEjectedShare: 0.5,
  retryBudget: { share: 0.2, minPerSecond: 1, windowMs: 10_000 },
  hedging: { quantile: 0.95, minSamples: 50, minMs: 100 },
  backoff: { initialMs: 100, maxMs: 5_000, factor: 2 },
};
