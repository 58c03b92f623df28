import type { Pool } from '@tollgate/catalogue';
import { createHedging, type Hedging } from '../health/hedging.ts';
import { createRetryBudget, type RetryBudget } from '../health/retry-budget.ts';
import { DEFAULTS } from '../health/settings.ts';

/** What all requests of a pool at this gateway share, whatever the snapshot. */
export interface PoolTraffic {
  readonly budget: RetryBudget;
  /** How long answers of one kind take to begin. */
  hedging(kind: string): Hedging;
}

/** Keeps the traffic of pools by their names; a pool with another share of retries starts again. */
export function createPoolTraffics(): (pool: Pick<Pool, 'name' | 'retry_percent'>) => PoolTraffic {
  const known = new Map<string, { percent: number; traffic: PoolTraffic }>();
  return ({ name, retry_percent: percent }) => {
    const held = known.get(name);
    if (held?.percent === percent) return held.traffic;
    const traffic = createPoolTraffic(percent);
    known.set(name, { percent, traffic });
    return traffic;
  };
}

const MAX_KINDS = 1_000;

function createPoolTraffic(retryPercent: number): PoolTraffic {
  const budget = createRetryBudget({
    ...DEFAULTS.retryBudget,
    share: retryPercent / 100,
    minPerSecond: retryPercent === 0 ? 0 : DEFAULTS.retryBudget.minPerSecond,
  });
  const hedgings = new Map<string, Hedging>();
  return {
    budget,
    hedging(kind) {
      const held = hedgings.get(kind);
      if (held) return held;
      if (hedgings.size >= MAX_KINDS) hedgings.clear();
      const made = createHedging(budget);
      hedgings.set(kind, made);
      return made;
    },
  };
}
