import type { HealthTransition } from '@tollgate/contracts';

/** What one gateway decided about a target, small enough to tell all others. Times are milliseconds since 1970. */
export type Transition = Readonly<HealthTransition>;

/**
 * How far clocks may be apart, or step back, and the order of words is still that in which they were said. A clock that is further ahead is
 * not believed: its word counts as said when it is heard.
 */
const AHEAD_MAX_MS = 60_000;

interface LastWriter {
  /** When this gateway says something, in milliseconds since 1970: now, or behind the newest that it knows. */
  say(by: string, now: number): number;
  /** Whether this is newer than all before it; if so it is the one to beat. */
  accept(at: number, by: string, now: number): boolean;
}

/**
 * Last writer wins: by time, and at the same time by name, so that all gateways agree whatever order they hear in. Times are
 * those of a hybrid logical clock: who has heard a word and says another says it later, whatever the wall clock says, so one that steps back by
 * less than a minute, or is behind by as much, changes no order. Of two that have not heard each other the one whose clock is ahead wins
 * until it is that late, after a minute at most. The words of a clock that is further behind lose for as long as it is wrong. That heals
 * without them: an upstream is held back until a time that its word names, and a credential is refused to each gateway itself.
 */
export function createLastWriter(): LastWriter {
  const nothing = { at: Number.NEGATIVE_INFINITY, by: '' };
  let last = nothing;
  const isNear = (at: number, now: number): boolean => at <= now + AHEAD_MAX_MS;
  return {
    say(by, now) {
      last = { at: isNear(last.at, now) ? Math.max(now, last.at + 1) : now, by };
      return last.at;
    },
    accept(told, by, now) {
      if (!isNear(last.at, now)) last = nothing;
      const at = isNear(told, now) ? told : now;
      if (at < last.at || (at === last.at && by <= last.by)) return false;
      last = { at, by };
      return true;
    },
  };
}
