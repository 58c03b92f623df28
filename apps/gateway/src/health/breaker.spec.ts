import fc from 'fast-check';
import { SETTINGS, START, fail, start, succeed, trip } from '../../testing/breaker.ts';
import type { Breaker } from './breaker.ts';

test('opens after so many failures in a row, and says why', () => {
  const { breaker, changes } = start();
  fail(breaker, START, 4);
  succeed(breaker, START);
  fail(breaker, START, 4);
  expect(breaker.state(START)).toBe('closed');
  fail(breaker, START);
  expect(breaker.state(START)).toBe('open');
  expect(breaker.admits(START)).toBe(false);
  expect(changes).toEqual([
    { state: 'open', until: START + 5_000, reason: '5 failures in a row, the last with connect' },
  ]);
});

test('opens when too many of enough requests in the window failed', () => {
  const { breaker, changes } = start();
  for (let pair = 0; pair < 9; pair += 1) {
    succeed(breaker, START);
    fail(breaker, START);
  }
  expect(breaker.rates(START)).toEqual({ failureRate: 0.5, volume: 18 });
  succeed(breaker, START);
  expect(breaker.state(START)).toBe('closed');
  fail(breaker, START);
  expect(breaker.state(START)).toBe('open');
  expect(changes[0]?.reason).toBe('10 of 20 requests failed, the last with connect');
});

test('failures that have left the window do not count', () => {
  const { breaker } = start();
  for (let second = 0; second < 200; second += 5) {
    fail(breaker, START + second * 1_000);
    succeed(breaker, START + second * 1_000);
  }
  expect(breaker.state(START + 200_000)).toBe('closed');
  expect(breaker.rates(START + 300_000)).toEqual({ failureRate: 0, volume: 0 });
});

test('half-open lets one probe through at a time, and closes after two that succeed', () => {
  const { breaker, changes } = start();
  const until = trip(breaker, START);
  expect(breaker.state(until - 1)).toBe('open');
  expect(breaker.state(until)).toBe('half-open');
  const probe = breaker.begin(until);
  expect(probe.probe).toBe(true);
  expect(breaker.admits(until)).toBe(false);
  breaker.succeeded(probe, until + 1);
  expect(breaker.state(until + 1)).toBe('half-open');
  expect(breaker.admits(until + 1)).toBe(true);
  succeed(breaker, until + 2);
  expect(breaker.state(until + 2)).toBe('closed');
  expect(changes.at(-1)).toEqual({ state: 'closed', until: null, reason: 'it answers again' });
  expect(breaker.rates(until + 2).volume).toBe(0);
});

test('a probe of which nothing came gives its place back', () => {
  const { breaker } = start();
  const until = trip(breaker, START);
  breaker.undecided(breaker.begin(until));
  expect(breaker.admits(until)).toBe(true);
  expect(breaker.state(until)).toBe('half-open');
});

test('a probe that outlives its half-open time makes no room for another in the next', () => {
  const { breaker } = start({ maxProbes: 2 });
  const until = trip(breaker, START);
  const [one, other] = [breaker.begin(until), breaker.begin(until)];
  breaker.failed(one, 'connect', until);
  const next = breaker.until() ?? Number.NaN;
  breaker.begin(next);
  breaker.undecided(other);
  breaker.begin(next);
  expect(breaker.admits(next)).toBe(false);
});

test('each probe that fails doubles the back-off, up to its limit', () => {
  const { breaker } = start({ initialBackoffMs: 1_000, maxBackoffMs: 6_000 });
  let now = START;
  const waits: number[] = [];
  let until = trip(breaker, now);
  for (let time = 0; time < 5; time += 1) {
    waits.push(until - now);
    now = until;
    fail(breaker, now);
    until = breaker.until() ?? Number.NaN;
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 6_000, 6_000]);
});

test('the back-off starts again only after it was closed for long', () => {
  const { breaker } = start({ forgetMs: 60_000 });
  const reopenAfter = (closedMs: number, from: number) => {
    const until = trip(breaker, from);
    succeed(breaker, until);
    succeed(breaker, until);
    const again = trip(breaker, until + closedMs) - (until + closedMs);
    succeed(breaker, until + closedMs + again);
    succeed(breaker, until + closedMs + again);
    return again;
  };
  expect(reopenAfter(59_999, START)).toBe(10_000);
  expect(reopenAfter(60_000, START + 10_000_000)).toBe(5_000);
});

test('chance takes up to its share off the back-off', () => {
  const { breaker } = start({ jitter: 0.2 }, { chance: 0.5 });
  expect(trip(breaker, START)).toBe(START + 4_500);
});

test('attempts from before it opened neither open it further nor close it', () => {
  const { breaker, changes } = start();
  const before = Array.from({ length: 6 }, () => breaker.begin(START));
  const until = trip(breaker, START);
  const [one, two, three, ...others] = before;
  for (const ticket of others) breaker.succeeded(ticket, until);
  expect(breaker.state(until)).toBe('half-open');
  for (const ticket of [one, two, three]) if (ticket) breaker.failed(ticket, 'timeout', until);
  expect(breaker.state(until)).toBe('half-open');
  expect(changes).toHaveLength(1);
});

test('one that was used although it is open closes when it answers', () => {
  const { breaker } = start();
  trip(breaker, START);
  succeed(breaker, START + 1);
  fail(breaker, START + 1);
  expect(breaker.state(START + 1)).toBe('open');
  succeed(breaker, START + 2);
  expect(breaker.state(START + 2)).toBe('closed');
});

test('stays closed while it may not be ejected, and opens at the next failure after that', () => {
  let allowed = false;
  const { breaker, changes } = start({}, { mayEject: () => allowed });
  fail(breaker, START, 50);
  expect(breaker.state(START)).toBe('closed');
  expect(changes).toEqual([]);
  allowed = true;
  fail(breaker, START);
  expect(breaker.state(START)).toBe('open');
});

describe('what other gateways say', () => {
  test('opens it without a word of its own, and half-opens it when the time is over', () => {
    const { breaker, changes } = start();
    expect(breaker.applyRemoteOpen(START + 9_000, START)).toBe(true);
    expect(breaker.state(START)).toBe('open');
    expect(breaker.state(START + 9_000)).toBe('half-open');
    expect(changes).toEqual([]);
  });

  test('is not believed right after a success of its own, but later or after a failure it is', () => {
    const recent = start().breaker;
    succeed(recent, START);
    expect(recent.applyRemoteOpen(START + 60_000, START + 4_999)).toBe(false);
    expect(recent.applyRemoteOpen(START + 60_000, START + 5_000)).toBe(true);
    const failing = start().breaker;
    succeed(failing, START);
    fail(failing, START);
    expect(failing.applyRemoteOpen(START + 60_000, START)).toBe(true);
  });

  test('is held to the limits: no longer than the longest back-off, never the last of a pool', () => {
    const { breaker } = start();
    breaker.applyRemoteOpen(START + 1e9, START);
    expect(breaker.until()).toBe(START + SETTINGS.maxBackoffMs);
    expect(start({}, { mayEject: () => false }).breaker.applyRemoteOpen(START + 1_000, START)).toBe(false);
    expect(start().breaker.applyRemoteOpen(START, START)).toBe(false);
  });

  test('is contradicted by successes, also of attempts from before', () => {
    const { breaker, changes } = start();
    const before = [breaker.begin(START), breaker.begin(START)];
    breaker.applyRemoteOpen(START + 9_000, START);
    for (const ticket of before) breaker.succeeded(ticket, START + 1);
    expect(breaker.state(START + 1)).toBe('closed');
    expect(changes.map(({ state }) => state)).toEqual(['closed']);
  });

  test('closes what was learned, and only lets a probe through where it opened by itself', () => {
    const learned = start().breaker;
    learned.applyRemoteOpen(START + 9_000, START);
    learned.applyRemoteClosed(START + 1);
    expect(learned.state(START + 1)).toBe('closed');
    const own = start().breaker;
    trip(own, START);
    own.applyRemoteClosed(START + 1);
    expect(own.state(START + 1)).toBe('half-open');
    fail(own, START + 2);
    expect(own.until()).toBe(START + 2 + 10_000);
  });
});

test('whatever happens, probes stay within their number and every open one becomes half-open in time', () => {
  const step = fc.record({
    act: fc.constantFrom(
      'begin',
      'succeed',
      'fail',
      'drop',
      'apply remote open',
      'apply remote closed',
      'wait',
    ),
    which: fc.nat(20),
    ms: fc.nat(8_000),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { breaker } = start({ maxProbes: 2, maxBackoffMs: 20_000 });
      const open: ReturnType<Breaker['begin']>[] = [];
      let now = START;
      for (const { act, which, ms } of steps) {
        const ticket =
          act === 'succeed' || act === 'fail' || act === 'drop' ? open.splice(which, 1)[0] : undefined;
        if (act === 'begin' && breaker.admits(now)) open.push(breaker.begin(now));
        if (act === 'wait') now += ms;
        if (act === 'apply remote open') breaker.applyRemoteOpen(now + ms, now);
        if (act === 'apply remote closed') breaker.applyRemoteClosed(now);
        if (ticket && act === 'succeed') breaker.succeeded(ticket, now);
        if (ticket && act === 'fail') breaker.failed(ticket, 'timeout', now);
        if (ticket && act === 'drop') breaker.undecided(ticket);
        expect(breaker.state(now + 20_000)).not.toBe('open');
      }
      for (const ticket of open) breaker.undecided(ticket);
      const later = now + 20_000;
      let admitted = 0;
      while (admitted < 5 && breaker.admits(later)) {
        breaker.begin(later);
        admitted += 1;
      }
      expect(admitted).toBe(breaker.state(later) === 'closed' ? 5 : 2);
    }),
  );
});

/** An answer that begins, and then breaks off or ends. */
