import { type Breaker, createBreaker } from '../src/health/breaker.ts';
import { type BreakerSettings, DEFAULTS } from '../src/health/settings.ts';

export const SETTINGS: BreakerSettings = { ...DEFAULTS.target.breaker, jitter: 0 };
export const START = 1_000_000;

export function start(
  own: Partial<BreakerSettings> = {},
  hooks: { mayEject?: () => boolean; chance?: number } = {},
) {
  const changes: { state: string; until: number | null; reason: string }[] = [];
  const breaker = createBreaker(
    { ...SETTINGS, ...own },
    {
      random: () => hooks.chance ?? 0,
      mayEject: hooks.mayEject ?? (() => true),
      changed: (change) => changes.push(change),
    },
  );
  return { breaker, changes };
}

export const succeed = (breaker: Breaker, now: number) => breaker.succeeded(breaker.begin(now), now);
export const fail = (breaker: Breaker, now: number, times = 1) => {
  for (let time = 0; time < times; time += 1) breaker.failed(breaker.begin(now), 'connect', now);
};

/** Opens at `now` and returns when it will be half-open. */
export function trip(breaker: Breaker, now: number): number {
  fail(breaker, now, SETTINGS.consecutiveFailures);
  return breaker.until() ?? Number.NaN;
}
