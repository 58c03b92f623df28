import { START, fail, start, succeed, trip } from '../../testing/breaker.ts';
import type { Breaker } from './breaker.ts';

const answer = (breaker: Breaker, now: number, broken: boolean) => {
  const ticket = breaker.begin(now);
  breaker.succeeded(ticket, now);
  if (broken) breaker.broke(ticket, now);
  else breaker.completed();
};

test('answers that break off in a row open it, though each began well', () => {
  const { breaker, changes } = start();
  for (const broken of [true, true, true, true, false, true, true, true, true])
    answer(breaker, START, broken);
  expect(breaker.state(START)).toBe('closed');
  answer(breaker, START, true);
  expect(breaker.state(START)).toBe('open');
  expect(changes[0]?.reason).toBe('5 broken answers in a row, the last with broken off');
});

test('an answer that broke off is one request that failed', () => {
  const { breaker } = start();
  for (const broken of [true, false, false, true]) answer(breaker, START, broken);
  expect(breaker.rates(START)).toEqual({ failureRate: 0.5, volume: 4 });
});

test('an answer that breaks off when its request has left the window counts as one of now', () => {
  const { breaker } = start();
  const ticket = breaker.begin(START);
  breaker.succeeded(ticket, START);
  breaker.broke(ticket, START + 120_000);
  expect(breaker.rates(START + 120_000)).toEqual({ failureRate: 1, volume: 1 });
});

test('a probe whose answer breaks off opens it again; an answer from before says nothing', () => {
  const { breaker } = start();
  const early = breaker.begin(START);
  breaker.succeeded(early, START);
  const until = trip(breaker, START);
  breaker.broke(early, until);
  expect(breaker.state(until)).toBe('half-open');
  const probe = breaker.begin(until);
  breaker.succeeded(probe, until);
  breaker.broke(probe, until);
  expect(breaker.state(until)).toBe('open');
});

test.each<[string, (breaker: Breaker) => void, boolean]>([
  ['is new', () => {}, true],
  ['failed a few times', (breaker) => fail(breaker, START, 2), true],
  ['failed three times in a row', (breaker) => fail(breaker, START, 3), false],
  [
    'broke off three times in a row',
    (breaker) => [1, 2, 3].forEach(() => answer(breaker, START, true)),
    false,
  ],
  [
    'fails every tenth time',
    (breaker) => {
      for (let time = 0; time < 100; time += 1)
        if (time % 10 === 0) fail(breaker, START);
        else succeed(breaker, START);
    },
    true,
  ],
  [
    'fails every fifth time',
    (breaker) => {
      for (let time = 0; time < 100; time += 1)
        if (time % 5 === 0) fail(breaker, START);
        else succeed(breaker, START);
    },
    false,
  ],
  ['is open', (breaker) => void trip(breaker, START), false],
])('one that %s is healthy: %p', (_what, happen, healthy) => {
  const { breaker } = start();
  happen(breaker);
  expect(breaker.healthy(START)).toBe(healthy);
});
