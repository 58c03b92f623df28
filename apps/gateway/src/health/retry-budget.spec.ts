import fc from 'fast-check';
import { createHedging } from './hedging.ts';
import { createRetryBudget } from './retry-budget.ts';

const IN_TIME = { elapsedMs: 0, deadlineMs: 60_000, typicalMs: 500 };

function clock(start = 1_000_000) {
  let now = start;
  return { now: () => now, pass: (ms: number) => (now += ms) };
}

const spend = (mayRetry: () => boolean): number => {
  let granted = 0;
  while (granted < 1_000 && mayRetry()) granted += 1;
  return granted;
};

test('retries are a share of the requests', () => {
  const { now } = clock();
  const budget = createRetryBudget({ share: 0.2, minPerSecond: 1, windowMs: 10_000 }, now);
  for (let index = 0; index < 100; index += 1) budget.request();
  expect(spend(() => budget.mayRetry(IN_TIME))).toBe(20);
});

test('an idle gateway may retry a little, and again when the window has passed', () => {
  const time = clock();
  const budget = createRetryBudget({ share: 0.2, minPerSecond: 0.5, windowMs: 10_000 }, time.now);
  expect(spend(() => budget.mayRetry(IN_TIME))).toBe(5);
  time.pass(8_000);
  expect(budget.mayRetry(IN_TIME)).toBe(false);
  time.pass(2_000);
  expect(spend(() => budget.mayRetry(IN_TIME))).toBe(5);
});

test('in an outage the load grows by no more than the share, or the minimum', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 400 });
  fc.assert(
    fc.property(gaps, (all) => {
      const time = clock();
      const budget = createRetryBudget({ share: 0.2, minPerSecond: 1, windowMs: 10_000 }, time.now);
      const retries: number[] = [];
      const requests: number[] = [];
      for (const gap of all) {
        time.pass(gap);
        budget.request();
        requests.push(time.now());
        while (budget.mayRetry(IN_TIME)) retries.push(time.now());
        const recent = (times: number[], ms: number) => times.filter((at) => at > time.now() - ms).length;
        expect(recent(retries, 9_000)).toBeLessThanOrEqual(Math.max(10, 0.2 * recent(requests, 10_000)));
      }
    }),
  );
});

test.each([
  ['in time', { elapsedMs: 1_000, deadlineMs: 5_000, typicalMs: 2_000 }, 0, true],
  ['just in time', { elapsedMs: 1_000, deadlineMs: 5_000, typicalMs: 2_000 }, 2_000, true],
  ['too late after the wait', { elapsedMs: 1_000, deadlineMs: 5_000, typicalMs: 2_000 }, 2_001, false],
  ['too late for a typical answer', { elapsedMs: 4_000, deadlineMs: 5_000, typicalMs: 2_000 }, 0, false],
  ['after the deadline', { elapsedMs: 6_000, deadlineMs: 5_000, typicalMs: 0 }, 0, false],
])('a retry that would come %s: %j with a wait of %i ms', (_when, timing, waitMs, expected) => {
  const { now } = clock();
  expect(createRetryBudget(undefined, now).mayRetry(timing, waitMs)).toBe(expected);
});

test('a retry that comes too late costs nothing', () => {
  const { now } = clock();
  const budget = createRetryBudget({ share: 0, minPerSecond: 0.1, windowMs: 10_000 }, now);
  expect(budget.mayRetry({ elapsedMs: 9, deadlineMs: 5, typicalMs: 0 })).toBe(false);
  expect(budget.mayRetry(IN_TIME)).toBe(true);
  expect(budget.mayRetry(IN_TIME)).toBe(false);
});

describe('hedging', () => {
  const settings = { quantile: 0.95, minSamples: 20, minMs: 100 };
  const hedging = (minPerSecond = 1) => {
    const { now } = clock();
    const budget = createRetryBudget({ share: 0, minPerSecond, windowMs: 10_000 }, now);
    return createHedging(budget, settings);
  };

  test('waits for enough measurements', () => {
    const own = hedging();
    for (let index = 0; index < 19; index += 1) own.observe(1_000);
    expect(own.afterMs()).toBeUndefined();
    expect(own.mayHedge({ elapsedMs: 50_000, deadlineMs: 60_000 })).toBe(false);
    own.observe(1_000);
    expect(own.afterMs()).toBeGreaterThanOrEqual(1_000);
  });

  test('starts after the time that 95 % of the answers take, when a typical one would still be of use', () => {
    const own = hedging();
    for (let index = 1; index <= 100; index += 1) own.observe(index * 10);
    const after = own.afterMs() ?? Number.NaN;
    expect(after).toBeGreaterThanOrEqual(950);
    expect(after).toBeLessThanOrEqual(1_045);
    expect(own.mayHedge({ elapsedMs: after - 1, deadlineMs: 60_000 })).toBe(false);
    expect(own.mayHedge({ elapsedMs: after, deadlineMs: after + 400 })).toBe(false);
    expect(own.mayHedge({ elapsedMs: after, deadlineMs: after + 600 })).toBe(true);
  });

  test('never starts sooner than its least', () => {
    const own = hedging();
    for (let index = 0; index < 50; index += 1) own.observe(3);
    expect(own.afterMs()).toBe(100);
  });

  test('takes from the budget of the retries', () => {
    const own = hedging(0.2);
    for (let index = 0; index < 50; index += 1) own.observe(3);
    const late = { elapsedMs: 100, deadlineMs: 60_000 };
    expect([own.mayHedge(late), own.mayHedge(late), own.mayHedge(late)]).toEqual([true, true, false]);
  });
});

describe('whoever answers nearly all requests', () => {
  test('is asked beyond the budget, which that is counted in', () => {
    const { now } = clock();
    const budget = createRetryBudget({ share: 0.2, minPerSecond: 1, windowMs: 10_000 }, now);
    for (let index = 0; index < 100; index += 1) budget.request();
    for (let index = 0; index < 50; index += 1) expect(budget.mayRetry(IN_TIME, 0, true)).toBe(true);
    expect(budget.mayRetry(IN_TIME)).toBe(false);
  });

  test('is not asked too late', () => {
    const { now } = clock();
    const late = { elapsedMs: 9, deadlineMs: 5, typicalMs: 0 };
    expect(createRetryBudget(undefined, now).mayRetry(late, 0, true)).toBe(false);
  });

  test('is not asked where nothing is to be tried again', () => {
    const { now } = clock();
    const budget = createRetryBudget({ share: 0, minPerSecond: 0, windowMs: 10_000 }, now);
    expect(budget.mayRetry(IN_TIME, 0, true)).toBe(false);
  });
});
