import { DEFAULTS, type TargetSettings } from '../src/health/settings.ts';
import { createTarget } from '../src/health/target.ts';
import type { Transition } from '../src/health/transition.ts';

/** Milliseconds of both clocks at first. */
export const START = 1_000_000;

/** A target of the gateway `gw-1` whose clocks are set by hand. */
export function startTarget(own: Partial<TargetSettings> = {}) {
  const changes: Omit<Transition, 'id' | 'by'>[] = [];
  let now = START;
  let wallNow = START;
  const target = createTarget(
    'openai#1',
    { ...DEFAULTS.target, ...own },
    {
      now: () => now,
      wallNow: () => wallNow,
      random: () => 0,
      mayEject: () => true,
      changed: (change) => changes.push(change),
      self: 'gw-1',
    },
  );
  const heard = (state: Transition['state'], more: Partial<Transition> = {}): Transition => ({
    id: 'openai#1',
    state,
    until: null,
    reason: 'heard',
    at: wallNow,
    by: 'gw-2',
    ...more,
  });
  const once = (outcome: Parameters<ReturnType<typeof target.begin>['record']>[0]) => {
    const attempt = target.begin();
    attempt.record(outcome);
    attempt.end();
  };
  const setClock = (ms: number) => (wallNow += ms);
  const pass = (ms: number) => {
    now += ms;
    setClock(ms);
  };
  return { target, changes, heard, once, pass, setClock, now: () => now };
}
