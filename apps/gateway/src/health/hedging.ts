import { createQuantile } from './quantile.ts';
import type { RetryBudget } from './retry-budget.ts';
import { DEFAULTS, type HedgingSettings } from './settings.ts';

export interface Hedging {
  /** The first byte of an answer came after so many milliseconds. */
  observe(firstByteMs: number): void;
  /** When to ask `mayHedge`, in milliseconds since the attempt began; undefined while too little is known. */
  afterMs(): number | undefined;
  /** Whether to start a second attempt beside the first; takes it out of the budget if so. */
  mayHedge(timing: { readonly elapsedMs: number; readonly deadlineMs: number }): boolean;
}

/** For one upstream and model: answers of others begin at another pace. */
export function createHedging(budget: RetryBudget, settings: HedgingSettings = DEFAULTS.hedging): Hedging {
  const slow = createQuantile(settings.quantile);
  const typical = createQuantile(0.5);
  function afterMs(): number | undefined {
    const value = slow.samples() < settings.minSamples ? undefined : slow.value();
    return value === undefined ? undefined : Math.max(settings.minMs, value);
  }
  return {
    observe(firstByteMs) {
      slow.add(firstByteMs);
      typical.add(firstByteMs);
    },
    afterMs,
    mayHedge({ elapsedMs, deadlineMs }) {
      const after = afterMs();
      if (after === undefined || elapsedMs < after) return false;
      return budget.mayRetry({ elapsedMs, deadlineMs, typicalMs: typical.value() ?? 0 });
    },
  };
}
