import type { Outcome } from './outcome.ts';

/** What a target has seen since this gateway knows it: numbers that only rise. */
export interface TargetTally {
  /** Attempts that are over, by what they said of the target. */
  readonly outcomes: Readonly<Record<Outcome['kind'], number>>;
  /** Failed attempts by their cause; `broken off` are answers that ended before their end. */
  readonly failures: ReadonlyMap<string, number>;
  /** How often its breaker opened here. */
  readonly ejections: number;
  /** How often a rate limit made it cool down here. */
  readonly cooldowns: number;
}

interface CountingTally extends TargetTally {
  recorded(outcome: Outcome): void;
  brokeOff(): void;
  ejected(): void;
  cooledDown(): void;
}

export function createTargetTally(): CountingTally {
  const outcomes = { answered: 0, failed: 0, 'rate-limited': 0, refused: 0, unknown: 0 };
  const failures = new Map<string, number>();
  const failed = (cause: string) => void failures.set(cause, (failures.get(cause) ?? 0) + 1);
  let ejections = 0;
  let cooldowns = 0;
  return {
    outcomes,
    failures,
    get ejections() {
      return ejections;
    },
    get cooldowns() {
      return cooldowns;
    },
    recorded(outcome) {
      outcomes[outcome.kind] += 1;
      if (outcome.kind === 'failed') failed(outcome.cause);
    },
    brokeOff: () => failed('broken off'),
    ejected: () => void (ejections += 1),
    cooledDown: () => void (cooldowns += 1),
  };
}
