import type { Availability, BreakerState } from '@tollgate/contracts';
import type { Load } from '../balance/member.ts';
import { createBreaker } from './breaker.ts';
import type { Outcome } from './outcome.ts';
import { createPeakEwma } from './peak-ewma.ts';
import type { TargetSettings } from './settings.ts';
import { createTargetTally, type TargetTally } from './target-tally.ts';
import { createLastWriter, type Transition } from './transition.ts';

/** One request to a target. `end` must be called whatever happens; `record` at most once counts. */
interface Attempt {
  /** As soon as it is known, e.g. at the first byte: a stream goes on for minutes after it. */
  record(outcome: Outcome): void;
  /** The answer that was recorded as such broke off before its end. To be said before `end`. */
  broke(): void;
  /** The request is over. Without an outcome before it, it says nothing about the target. */
  end(): void;
}

/** A target as the admin API shows it. Times are milliseconds since 1970. */
export interface TargetView {
  readonly id: string;
  readonly availability: Availability;
  readonly state: BreakerState;
  /** When the breaker last changed to or from closed; null if it never did. */
  readonly since: number | null;
  readonly until: number | null;
  readonly failureRate: number;
  /** Requests in the breaker's window. */
  readonly volume: number;
  readonly latencyMs: number | null;
  readonly outstanding: number;
  readonly coolingDownUntil: number | null;
  readonly disabledSince: number | null;
  readonly lastError: { readonly at: number; readonly reason: string } | null;
}

/** An upstream with one credential, as this gateway knows it. What is asked for a moment is by `performance.now()`. */
export interface Target extends Load {
  readonly id: string;
  readonly tally: TargetTally;
  /** Ready, and answers nearly all: what others failed at may be sent to it. */
  healthy(now: number): boolean;
  /** Whether the breaker holds it back, wholly or in part. */
  ejected(now: number): boolean;
  /** For how many milliseconds it cools down yet; none where it does not. */
  coolsDownMs(now: number): number;
  begin(): Attempt;
  /** It reported usage that cannot be: its answers are good, and its figures are to be looked at. */
  disputed(): void;
  /** Its credential may be used again. */
  enable(reason: string): void;
  /** Applies what another gateway decided. False where it is older than what is known, or not believed. */
  applyRemote(transition: Transition): boolean;
  view(): TargetView;
}

interface TargetHooks {
  /** Of a clock that nobody sets, in milliseconds: how long anything holds. */
  readonly now: () => number;
  /** Milliseconds since 1970: when something was, to people and other gateways. */
  readonly wallNow: () => number;
  readonly random: () => number;
  readonly mayEject: (now: number) => boolean;
  readonly changed: (change: Omit<Transition, 'id' | 'by'>) => void;
  /** The name of this gateway, for the order of simultaneous decisions. */
  readonly self: string;
}

export function createTarget(id: string, settings: TargetSettings, hooks: TargetHooks): Target {
  const circuit = createLastWriter();
  const credential = createLastWriter();
  const latency = createPeakEwma(settings.latencyDecayMs);
  const tally = createTargetTally();
  const toWall = (at: number): number => Math.round(hooks.wallNow() + at - hooks.now());
  const breaker = createBreaker(settings.breaker, {
    random: hooks.random,
    mayEject: hooks.mayEject,
    changed({ state, until, reason }) {
      const at = circuit.say(hooks.self, hooks.wallNow());
      if (state === 'open') tally.ejected();
      hooks.changed({ state, until: until === null ? null : toWall(until), reason, at });
    },
  });
  let outstanding = 0;
  let coolingDownUntil = 0;
  let disabledSince: number | undefined;
  let lastError: TargetView['lastError'] = null;

  /** The longest wait counts: answers that were under way together come in any order. */
  function coolDownUntil(until: number, now: number): boolean {
    const believed = Math.min(until, now + settings.maxCooldownMs);
    if (believed <= Math.max(now, coolingDownUntil)) return false;
    coolingDownUntil = believed;
    return true;
  }

  function rateLimited(status: number, retryAfterMs: number | undefined, now: number): void {
    const until = now + (retryAfterMs ?? settings.defaultCooldownMs);
    const reason = `status ${status}`;
    const at = hooks.wallNow();
    lastError = { at, reason };
    if (!coolDownUntil(until, now)) return;
    tally.cooledDown();
    hooks.changed({ state: 'cooling_down', until: toWall(coolingDownUntil), reason, at });
  }

  /** One caller must not take a credential from all: who may have refused what that one asks for is asked less, no more. */
  function refused(status: number, isCertain: boolean, now: number): void {
    const reason = `status ${status}`;
    lastError = { at: hooks.wallNow(), reason };
    if (!isCertain) return latency.observe(settings.minFailureLatencyMs, now);
    if (disabledSince !== undefined) return;
    const at = credential.say(hooks.self, hooks.wallNow());
    disabledSince = at;
    hooks.changed({ state: 'disabled', until: null, reason, at });
  }

  function availability(now: number): Availability {
    if (disabledSince !== undefined) return 'disabled';
    if (now < coolingDownUntil) return 'cooling_down';
    return breaker.admits(now) ? 'ready' : 'ejected';
  }

  const latencyMs = (now: number) => latency.value(now, outstanding > 0);

  function begin(): Attempt {
    const ticket = breaker.begin(hooks.now());
    let recorded = false;
    let ended = false;
    let answered = false;
    outstanding += 1;
    function record(outcome: Outcome): void {
      if (recorded) return;
      recorded = true;
      tally.recorded(outcome);
      const now = hooks.now();
      switch (outcome.kind) {
        case 'answered':
          answered = true;
          latency.observe(outcome.firstByteMs, now);
          return breaker.succeeded(ticket, now);
        case 'failed':
          lastError = { at: hooks.wallNow(), reason: outcome.cause };
          latency.observe(Math.max(outcome.elapsedMs, settings.minFailureLatencyMs), now);
          return breaker.failed(ticket, outcome.cause, now);
        case 'rate-limited':
          rateLimited(outcome.status, outcome.retryAfterMs, now);
          return breaker.undecided(ticket);
        case 'refused':
          refused(outcome.status, outcome.isCertain, now);
          return breaker.undecided(ticket);
        case 'unknown':
          return breaker.undecided(ticket);
      }
    }
    return {
      record,
      broke() {
        if (ended || !answered) return;
        answered = false;
        tally.brokeOff();
        lastError = { at: hooks.wallNow(), reason: 'broken off' };
        breaker.broke(ticket, hooks.now());
      },
      end() {
        if (ended) return;
        ended = true;
        record({ kind: 'unknown' });
        if (answered) breaker.completed();
        outstanding -= 1;
        if (outstanding === 0) latency.rest(hooks.now());
      },
    };
  }

  function applyRemote({ state, until, at, by, reason }: Transition): boolean {
    const [now, wall] = [hooks.now(), hooks.wallNow()];
    const untilHere = until === null ? undefined : now + until - wall;
    switch (state) {
      case 'cooling_down':
        return coolDownUntil(untilHere ?? now + settings.defaultCooldownMs, now);
      case 'open':
        return circuit.accept(at, by, wall) && breaker.applyRemoteOpen(untilHere ?? now, now);
      case 'closed':
        if (!circuit.accept(at, by, wall)) return false;
        breaker.applyRemoteClosed(now);
        return true;
      case 'disabled':
        if (!credential.accept(at, by, wall)) return false;
        disabledSince ??= Math.min(at, wall);
        lastError = { at: Math.min(at, wall), reason };
        return true;
      case 'enabled':
        if (!credential.accept(at, by, wall)) return false;
        disabledSince = undefined;
        return true;
    }
  }

  return {
    id,
    tally,
    get outstanding() {
      return outstanding;
    },
    availability,
    latencyMs,
    healthy: (now) => availability(now) === 'ready' && breaker.healthy(now),
    ejected: (now) => breaker.state(now) !== 'closed',
    coolsDownMs: (now) => Math.max(0, coolingDownUntil - now),
    begin,
    disputed: () => void (lastError = { at: hooks.wallNow(), reason: 'usage beyond what is possible' }),
    enable(reason) {
      if (disabledSince === undefined) return;
      disabledSince = undefined;
      const at = credential.say(hooks.self, hooks.wallNow());
      hooks.changed({ state: 'enabled', until: null, reason, at });
    },
    applyRemote,
    view() {
      const now = hooks.now();
      const [since, until] = [breaker.since(), breaker.until()];
      return {
        id,
        availability: availability(now),
        state: breaker.state(now),
        since: Number.isFinite(since) ? toWall(since) : null,
        until: until === null ? null : toWall(until),
        ...breaker.rates(now),
        latencyMs: latencyMs(now) ?? null,
        outstanding,
        coolingDownUntil: coolingDownUntil > now ? toWall(coolingDownUntil) : null,
        disabledSince: disabledSince ?? null,
        lastError,
      };
    },
  };
}
