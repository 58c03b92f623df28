import { DEFAULTS, type RetryBudgetSettings } from './settings.ts';
import { createSlidingCounter } from './sliding-counter.ts';

/** How a request stands, in milliseconds since it was first tried. */
interface Timing {
  readonly elapsedMs: number;
  /** When its caller gives up. */
  readonly deadlineMs: number;
  /** How long an answer usually takes to begin. */
  readonly typicalMs: number;
}

/** Numbers that only rise, since the pool has this budget. */
interface RetryTally {
  readonly requests: number;
  /** Retries and hedges that were made. */
  readonly retries: number;
  /** Those that the budget did not allow. */
  readonly denied: number;
}

export interface RetryBudget {
  tally(): RetryTally;
  /** A caller's request came, whose first attempt is free. */
  request(): void;
  /**
   * Takes a further attempt, `waitMs` from now, out of the budget and returns whether it may be made. It may not when its
   * answer would most likely come too late to be of use.
   *
   * @param healthy the next candidate answers nearly all requests: then the budget may be overdrawn. That candidate gets no
   *   more load than it would get without the failing ones; only load on failing upstreams must not be multiplied.
   */
  mayRetry(timing: Timing, waitMs?: number, healthy?: boolean): boolean;
}

/** Retries as a share of the traffic: an outage must not multiply the load on what is left. */
export function createRetryBudget(
  settings: RetryBudgetSettings = DEFAULTS.retryBudget,
  now: () => number = () => performance.now(),
): RetryBudget {
  const requests = createSlidingCounter(settings.windowMs, 10);
  const retries = createSlidingCounter(settings.windowMs, 10);
  const retriesAtAll = settings.share > 0 || settings.minPerSecond > 0;
  let [requested, retried, denied] = [0, 0, 0];
  const least = (settings.minPerSecond * settings.windowMs) / 1_000;
  return {
    tally: () => ({ requests: requested, retries: retried, denied }),
    request() {
      requested += 1;
      requests.add(now());
    },
    mayRetry({ elapsedMs, deadlineMs, typicalMs }, waitMs = 0, healthy = false) {
      const at = now();
      if (elapsedMs + waitMs + typicalMs > deadlineMs) return false;
      const allowed = Math.max(least, settings.share * requests.sum(at));
      const overdrawn = retries.sum(at) + 1 > allowed;
      if (overdrawn && !(healthy && retriesAtAll)) {
        denied += 1;
        return false;
      }
      retried += 1;
      retries.add(at);
      return true;
    },
  };
}
