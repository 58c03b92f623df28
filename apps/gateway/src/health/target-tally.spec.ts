import { DEFAULTS } from './settings.ts';
import { createTarget } from './target.ts';
import type { Outcome } from './outcome.ts';

function start() {
  const target = createTarget('openai#1', DEFAULTS.target, {
    now: () => 1_000_000,
    wallNow: () => 1_000_000,
    random: () => 0,
    mayEject: () => true,
    changed: () => {},
    self: 'gw-1',
  });
  const once = (outcome: Outcome) => {
    const attempt = target.begin();
    attempt.record(outcome);
    attempt.end();
  };
  return { target, once };
}

const FAILED = { kind: 'failed', cause: 'status 503', elapsedMs: 3 } as const;

test('every attempt is counted once, by what it said', () => {
  const { target, once } = start();
  once({ kind: 'answered', firstByteMs: 8 });
  once(FAILED);
  once({ kind: 'rate-limited', status: 429, retryAfterMs: 1_000 });
  once({ kind: 'rate-limited', status: 429, retryAfterMs: 500 });
  once({ kind: 'refused', status: 403, isCertain: false });
  target.begin().end();
  expect(target.tally.outcomes).toEqual({
    answered: 1,
    failed: 1,
    'rate-limited': 2,
    refused: 1,
    unknown: 1,
  });
  expect(target.tally.cooldowns).toBe(1);
});

test('failures are counted by their cause, and so are answers that broke off', () => {
  const { target, once } = start();
  once(FAILED);
  once(FAILED);
  const attempt = target.begin();
  attempt.record({ kind: 'answered', firstByteMs: 8 });
  attempt.broke();
  attempt.end();
  expect([...target.tally.failures]).toEqual([
    ['status 503', 2],
    ['broken off', 1],
  ]);
});

test('an opening of the breaker is counted where it was decided, not where it was heard of', () => {
  const { target, once } = start();
  for (let n = 0; n < 20; n += 1) once(FAILED);
  expect(target.tally.ejections).toBe(1);
  const other = start().target;
  other.applyRemote({
    id: 'openai#1',
    state: 'open',
    until: 2_000_000,
    reason: 'heard',
    at: 1_000_000,
    by: 'gw-2',
  });
  expect(other.view().state).toBe('open');
  expect(other.tally.ejections).toBe(0);
});

test('usage that cannot be is noted, and the target is used as before', () => {
  const { target, once } = start();
  once({ kind: 'answered', firstByteMs: 8 });
  target.disputed();
  expect(target.view()).toMatchObject({
    availability: 'ready',
    failureRate: 0,
    lastError: { at: 1_000_000, reason: 'usage beyond what is possible' },
  });
});
