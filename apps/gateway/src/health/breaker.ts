import type { BreakerState } from '@tollgate/contracts';
import type { BreakerSettings } from './settings.ts';
import { createSlidingCounter } from './sliding-counter.ts';

/** Taken when an attempt begins, handed back once with what came of it. */
interface Ticket {
  readonly opening: number;
  readonly probe: boolean;
}

export interface Breaker {
  state(now: number): BreakerState;
  /** Closed, or half-open with room for a probe. */
  admits(now: number): boolean;
  /** Never refuses: a caller that has no other choice may try an open one too. */
  begin(now: number): Ticket;
  succeeded(ticket: Ticket, now: number): void;
  failed(ticket: Ticket, reason: string, now: number): void;
  /** An answer that had begun, and was a success, broke off: it was a failure after all. */
  broke(ticket: Ticket, now: number): void;
  /** An answer that had begun came to its end. */
  completed(): void;
  /** Closed, and hardly any of the window's requests failed: more requests do it no harm. */
  healthy(now: number): boolean;
  /** The attempt ended and says nothing about the upstream. */
  undecided(ticket: Ticket): void;
  /** Another gateway has opened its breaker. False where that is not believed. */
  applyRemoteOpen(until: number, now: number): boolean;
  /** Another gateway has closed its breaker: what was learned closes, what was found out here is probed at once. */
  applyRemoteClosed(now: number): void;
  /** When the state last changed to or from closed. */
  since(): number;
  /** When an open one becomes half-open. */
  until(): number | null;
  /** Failed share and number of the window's requests. */
  rates(now: number): { readonly failureRate: number; readonly volume: number };
}

interface BreakerHooks {
  readonly random: () => number;
  /** Asked before it opens; where the answer is no it stays closed and asks again at the next failure. */
  readonly mayEject: (now: number) => boolean;
  /** A decision of this breaker itself, not one that it learned. */
  readonly changed: (change: {
    readonly state: 'open' | 'closed';
    readonly until: number | null;
    readonly reason: string;
  }) => void;
}

/** From here on an upstream fails too often to be sent more than its share. */
const UNHEALTHY = { inARow: 3, rate: 0.1 };

interface Opening {
  until: number;
  readonly isRemote: boolean;
  /** Probes under way. */
  probes: number;
  successes: number;
}

/**
 * A circuit breaker. It is told of failures and successes and has no timers: an open breaker is half-open as soon as its time
 * is over. Attempts that began before it opened no longer count, with one exception: their success closes a breaker that was
 * opened only because another gateway said so.
 */
export function createBreaker(settings: BreakerSettings, hooks: BreakerHooks): Breaker {
  const requests = createSlidingCounter(settings.windowMs, settings.buckets);
  const failures = createSlidingCounter(settings.windowMs, settings.buckets);
  let opening: Opening | undefined;
  let openings = 0;
  /** Openings in a row: the exponent of the back-off. */
  let level = 0;
  let inARow = 0;
  /** Answers in a row that broke off. */
  let brokenInARow = 0;
  let since = Number.NEGATIVE_INFINITY;
  let succeededAt = Number.NEGATIVE_INFINITY;

  const stateAt = (now: number): BreakerState =>
    opening === undefined ? 'closed' : now < opening.until ? 'open' : 'half-open';

  function open(until: number, isRemote: boolean, now: number): void {
    if (opening === undefined) since = now;
    opening = { until, isRemote, probes: 0, successes: 0 };
    openings += 1;
  }

  function trip(reason: string, now: number): void {
    level = opening === undefined && now - since >= settings.forgetMs ? 0 : level + 1;
    const backoffMs = Math.min(settings.maxBackoffMs, settings.initialBackoffMs * 2 ** level);
    const until = now + backoffMs * (1 - settings.jitter * hooks.random());
    open(until, false, now);
    hooks.changed({ state: 'open', until, reason });
  }

  function close(now: number): void {
    opening = undefined;
    since = now;
    inARow = 0;
    brokenInARow = 0;
    requests.clear();
    failures.clear();
  }

  const release = (ticket: Ticket): void => {
    if (opening && ticket.probe && ticket.opening === openings) opening.probes -= 1;
  };

  /** Of an answer that broke off long after it had begun, the request has left the window. */
  function sums(now: number): { failed: number; volume: number } {
    const failed = failures.sum(now);
    return { failed, volume: Math.max(failed, requests.sum(now)) };
  }

  function shouldTrip(now: number): string | undefined {
    if (inARow >= settings.consecutiveFailures) return `${inARow} failures in a row`;
    if (brokenInARow >= settings.consecutiveFailures) return `${brokenInARow} broken answers in a row`;
    const { failed, volume } = sums(now);
    if (volume < settings.minVolume || failed < settings.failureRate * volume) return undefined;
    return `${failed} of ${volume} requests failed`;
  }

  function count(ticket: Ticket, reason: string, now: number): void {
    if (opening !== undefined) {
      if (ticket.opening === openings && stateAt(now) === 'half-open') trip(`probe: ${reason}`, now);
      return;
    }
    failures.add(now);
    const why = shouldTrip(now);
    if (why !== undefined && hooks.mayEject(now)) trip(`${why}, the last with ${reason}`, now);
  }

  return {
    state: stateAt,
    admits: (now) => opening === undefined || (now >= opening.until && opening.probes < settings.maxProbes),
    begin(now) {
      const probe = stateAt(now) === 'half-open';
      if (opening && probe) opening.probes += 1;
      return { opening: openings, probe };
    },
    succeeded(ticket, now) {
      release(ticket);
      inARow = 0;
      succeededAt = now;
      if (opening === undefined) {
        requests.add(now);
      } else if (ticket.opening === openings || opening.isRemote) {
        opening.successes += 1;
        if (opening.successes < settings.successesToClose) return;
        close(now);
        hooks.changed({ state: 'closed', until: null, reason: 'it answers again' });
      }
    },
    failed(ticket, reason, now) {
      release(ticket);
      if (opening === undefined) {
        inARow += 1;
        requests.add(now);
      }
      count(ticket, reason, now);
    },
    broke(ticket, now) {
      if (opening === undefined) brokenInARow += 1;
      count(ticket, 'broken off', now);
    },
    completed: () => (brokenInARow = 0),
    healthy(now) {
      if (opening !== undefined || inARow >= UNHEALTHY.inARow || brokenInARow >= UNHEALTHY.inARow)
        return false;
      const { failed, volume } = sums(now);
      return failed <= Math.max(UNHEALTHY.inARow, UNHEALTHY.rate * volume);
    },
    undecided: release,
    applyRemoteOpen(until, now) {
      const ownWord = inARow === 0 && now - succeededAt < settings.ownWordMs;
      if (opening !== undefined || ownWord || until <= now || !hooks.mayEject(now)) return false;
      open(Math.min(until, now + settings.maxBackoffMs), true, now);
      return true;
    },
    applyRemoteClosed(now) {
      if (opening?.isRemote) close(now);
      else if (opening) opening.until = Math.min(opening.until, now);
    },
    since: () => since,
    until: () => opening?.until ?? null,
    rates(now) {
      const { failed, volume } = sums(now);
      return { volume, failureRate: volume === 0 ? 0 : failed / volume };
    },
  };
}
