import { START, startTarget as start } from '../../testing/started-target.ts';
import { DEFAULTS } from './settings.ts';

const REFUSED = { kind: 'refused', status: 401, isCertain: true } as const;
const FORBIDDEN = { kind: 'refused', status: 403, isCertain: false } as const;
const ANSWERED = { kind: 'answered', firstByteMs: 80 } as const;

test('an attempt is outstanding until it ends, once, and its first outcome is the one that counts', () => {
  const { target } = start();
  const attempt = target.begin();
  const other = target.begin();
  attempt.record(ANSWERED);
  attempt.record({ kind: 'failed', cause: 'broken', elapsedMs: 1 });
  expect(target.outstanding).toBe(2);
  attempt.end();
  attempt.end();
  expect(target.outstanding).toBe(1);
  other.end();
  expect(target.view()).toMatchObject({ outstanding: 0, failureRate: 0, volume: 1, lastError: null });
});

test('what fails fast does not look fast', () => {
  const { target, once, now } = start();
  once({ kind: 'failed', cause: 'connect', elapsedMs: 1 });
  expect(target.latencyMs(now())).toBe(DEFAULTS.target.minFailureLatencyMs);
  once({ kind: 'failed', cause: 'timeout', elapsedMs: 30_000 });
  expect(target.latencyMs(now())).toBe(30_000);
});

test('a latency fades only while nothing is under way', () => {
  const { target, once, pass, now } = start();
  once(ANSWERED);
  const attempt = target.begin();
  pass(60_000);
  expect(target.latencyMs(now())).toBe(80);
  attempt.end();
  pass(10_000);
  expect(target.latencyMs(now())).toBeCloseTo(80 / Math.E);
});

describe('a rate limit', () => {
  test.each([
    ['for exactly what the upstream says', 7_300, 7_300],
    ['for a default where it says nothing', undefined, 1_000],
    ['for an hour where it says more', 1e9, 3_600_000],
  ])('cools down %s', (_how, retryAfterMs, expected) => {
    const { target, changes, once } = start();
    once({ kind: 'rate-limited', status: 429, retryAfterMs });
    expect(target.availability(START + expected - 1)).toBe('cooling_down');
    expect(target.availability(START + expected)).toBe('ready');
    expect(changes).toEqual([
      { state: 'cooling_down', until: START + expected, reason: 'status 429', at: START },
    ]);
    expect(target.view()).toMatchObject({ coolingDownUntil: START + expected, state: 'closed', volume: 0 });
  });

  test('never trips the breaker, and an earlier end does not shorten a later one', () => {
    const { target, changes, once, pass } = start();
    for (let time = 0; time < 50; time += 1)
      once({ kind: 'rate-limited', status: 429, retryAfterMs: 2_000 - time });
    expect(target.view()).toMatchObject({ state: 'closed', coolingDownUntil: START + 2_000 });
    expect(changes).toHaveLength(1);
    pass(2_000);
    expect(target.view()).toMatchObject({ availability: 'ready', coolingDownUntil: null });
  });

  test('that asks to wait for nothing does not cool down', () => {
    const { target, changes, once } = start();
    once({ kind: 'rate-limited', status: 429, retryAfterMs: 0 });
    expect(target.availability(START)).toBe('ready');
    expect(changes).toEqual([]);
  });

  test('that a probe meets leaves the breaker half-open, with room for another', () => {
    const { target, once, pass } = start();
    for (let time = 0; time < 5; time += 1) once({ kind: 'failed', cause: 'connect', elapsedMs: 1 });
    pass(5_000);
    once({ kind: 'rate-limited', status: 429, retryAfterMs: 100 });
    pass(100);
    expect(target.view()).toMatchObject({ state: 'half-open', availability: 'ready' });
  });
});

describe('a refused credential', () => {
  test('is disabled until told otherwise, and told once', () => {
    const { target, changes, once, pass, now } = start();
    once(REFUSED);
    once(REFUSED);
    pass(1e9);
    once(ANSWERED);
    expect(target.availability(now())).toBe('disabled');
    expect(target.view()).toMatchObject({ disabledSince: START });
    target.enable('by the operator');
    target.enable('by the operator');
    expect(target.availability(now())).toBe('ready');
    expect(changes.map(({ state }) => state)).toEqual(['disabled', 'enabled']);
  });

  test('is not disabled by any number of refusals that may be about what one caller asks for, and asked less', () => {
    const { target, changes, once, now } = start();
    once(ANSWERED);
    for (let time = 0; time < 50; time += 1) once(FORBIDDEN);
    expect(target.view()).toMatchObject({ availability: 'ready', state: 'closed', disabledSince: null });
    expect(target.view().lastError).toEqual({ at: START, reason: 'status 403' });
    expect(target.latencyMs(now())).toBe(DEFAULTS.target.minFailureLatencyMs);
    expect(changes).toEqual([]);
  });
});

describe('the word of another gateway', () => {
  test('cools down, ejects and disables, and is not passed on', () => {
    const { target, changes, heard } = start();
    expect(target.applyRemote(heard('cooling_down', { until: START + 100 }))).toBe(true);
    expect(target.availability(START)).toBe('cooling_down');
    expect(target.applyRemote(heard('open', { until: START + 1_000 }))).toBe(true);
    expect(target.availability(START + 100)).toBe('ejected');
    expect(target.applyRemote(heard('disabled'))).toBe(true);
    expect(target.availability(START)).toBe('disabled');
    expect(target.applyRemote(heard('enabled', { by: 'gw-3' }))).toBe(true);
    expect(target.applyRemote(heard('closed', { by: 'gw-3' }))).toBe(true);
    expect(target.availability(START + 100)).toBe('ready');
    expect(changes).toEqual([]);
  });

  test('that is older than what is known changes nothing', () => {
    const { target, heard, once, pass, now } = start();
    pass(1_000);
    once(REFUSED);
    expect(target.applyRemote(heard('enabled', { at: START }))).toBe(false);
    expect(target.availability(now())).toBe('disabled');
    pass(1);
    expect(target.applyRemote(heard('enabled'))).toBe(true);
    expect(target.applyRemote(heard('disabled', { at: START }))).toBe(false);
    expect(target.availability(now())).toBe('ready');
  });

  test('with the same time is settled by name, whichever comes first', () => {
    for (const order of [
      ['gw-2', 'gw-3'],
      ['gw-3', 'gw-2'],
    ]) {
      const { target, heard, now } = start();
      for (const by of order) target.applyRemote(heard(by === 'gw-2' ? 'disabled' : 'enabled', { by }));
      expect(target.availability(now())).toBe('ready');
    }
  });

  test('with a clock that is ahead is not the last word', () => {
    const { target, heard, pass, now } = start();
    target.applyRemote(heard('disabled', { at: START + 1e9 }));
    pass(1);
    expect(target.applyRemote(heard('enabled'))).toBe(true);
    expect(target.availability(now())).toBe('ready');
  });

  test('cools down no longer than is believed of an upstream', () => {
    const { target, heard } = start();
    target.applyRemote(heard('cooling_down', { until: START + 1e12 }));
    expect(target.view().coolingDownUntil).toBe(START + DEFAULTS.target.maxCooldownMs);
  });

  test('says nothing against a success of our own', () => {
    const { target, heard, once, now } = start();
    once(ANSWERED);
    expect(target.applyRemote(heard('open', { until: START + 1_000 }))).toBe(false);
    expect(target.availability(now())).toBe('ready');
  });
});

test('an answer that breaks off after its first byte was a failure, once, and not when it has ended', () => {
  const { target } = start();
  const cut = target.begin();
  cut.broke();
  cut.record(ANSWERED);
  cut.broke();
  cut.broke();
  cut.end();
  const whole = target.begin();
  whole.record(ANSWERED);
  whole.end();
  whole.broke();
  expect(target.view()).toMatchObject({ failureRate: 0.5, volume: 2, lastError: { reason: 'broken off' } });
});

test('one that cools down or is disabled is not healthy, whatever it answered', () => {
  const { target, once, now } = start();
  once(ANSWERED);
  expect(target.healthy(now())).toBe(true);
  once({ kind: 'rate-limited', status: 429, retryAfterMs: 1_000 });
  expect(target.healthy(now())).toBe(false);
});
