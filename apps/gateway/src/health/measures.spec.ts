import fc from 'fast-check';
import { createPeakEwma } from './peak-ewma.ts';
import { createQuantile } from './quantile.ts';
import { createSlidingCounter } from './sliding-counter.ts';

describe('a sliding counter', () => {
  test('never forgets within the window less a bucket, and forgets all after the window', () => {
    const steps = fc.array(fc.record({ after: fc.integer({ min: 0, max: 400 }), count: fc.nat(5) }));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2e12 }), steps, (start, all) => {
        const counter = createSlidingCounter(1_000, 10);
        const added: { at: number; count: number }[] = [];
        let now = start;
        for (const { after, count } of all) {
          now += after;
          counter.add(now, count);
          added.push({ at: now, count });
        }
        const within = (ms: number) =>
          added.reduce((sum, { at, count }) => (at > now - ms ? sum + count : sum), 0);
        expect(counter.sum(now)).toBeGreaterThanOrEqual(within(900));
        expect(counter.sum(now)).toBeLessThanOrEqual(within(1_000));
        expect(counter.sum(now + 1_000)).toBe(0);
      }),
    );
  });

  test('goes on counting when the clock steps back', () => {
    const counter = createSlidingCounter(1_000, 10);
    counter.add(5_000_000);
    counter.add(4_999_500);
    expect(counter.sum(5_000_000)).toBe(2);
    counter.add(1_000);
    expect(counter.sum(1_000)).toBe(1);
    expect(counter.sum(2_500)).toBe(0);
  });

  test('forgets everything when it is cleared', () => {
    const counter = createSlidingCounter(1_000, 10);
    counter.add(100, 7);
    counter.clear();
    expect(counter.sum(100)).toBe(0);
  });
});

describe('a peak EWMA', () => {
  test('knows nothing before the first observation', () => {
    const ewma = createPeakEwma(1_000);
    ewma.rest(5);
    expect(ewma.value(10, false)).toBeUndefined();
  });

  test('follows a peak at once and comes down with its time constant', () => {
    const ewma = createPeakEwma(1_000);
    ewma.observe(100, 0);
    ewma.observe(900, 10);
    expect(ewma.value(10, true)).toBe(900);
    ewma.observe(100, 1_010);
    expect(ewma.value(1_010, true)).toBeCloseTo(100 + 800 / Math.E);
  });

  test('fades at rest, and not while something is under way', () => {
    const ewma = createPeakEwma(1_000);
    ewma.observe(500, 0);
    expect(ewma.value(60_000, true)).toBe(500);
    ewma.rest(60_000);
    expect(ewma.value(60_000, false)).toBe(500);
    expect(ewma.value(61_000, false)).toBeCloseTo(500 / Math.E);
  });

  test('stays between the least and the greatest that it saw', () => {
    const observations = fc.array(fc.tuple(fc.nat(10_000), fc.nat(5_000)), { minLength: 1 });
    fc.assert(
      fc.property(observations, (all) => {
        const ewma = createPeakEwma(1_000);
        let now = 0;
        for (const [ms, after] of all) ewma.observe(ms, (now += after));
        const seen = all.map(([ms]) => ms);
        const value = ewma.value(now, true) ?? Number.NaN;
        expect(value).toBeGreaterThanOrEqual(Math.min(...seen) - 1e-6);
        expect(value).toBeLessThanOrEqual(Math.max(...seen));
      }),
    );
  });
});

describe('a quantile', () => {
  test('is at most 10 % above the true one', () => {
    const values = fc.array(fc.integer({ min: 1, max: 900_000 }), { minLength: 1, maxLength: 900 });
    fc.assert(
      fc.property(values, fc.constantFrom(0.5, 0.95), (all, share) => {
        const quantile = createQuantile(share);
        for (const ms of all) quantile.add(ms);
        const sorted = [...all].sort((a, b) => a - b);
        const exact = sorted[Math.ceil(share * all.length) - 1] ?? Number.NaN;
        expect(quantile.value()).toBeGreaterThanOrEqual(exact * 0.999_999);
        expect(quantile.value()).toBeLessThanOrEqual(exact * 1.100_001);
      }),
    );
  });

  test('forgets what is long past', () => {
    const quantile = createQuantile(0.95, 100);
    for (let index = 0; index < 1_000; index += 1) quantile.add(10_000);
    for (let index = 0; index < 1_000; index += 1) quantile.add(10);
    expect(quantile.value()).toBeLessThan(12);
    expect(quantile.samples()).toBeLessThanOrEqual(100);
  });

  test('has no value before the first, and bounds those beyond its scale', () => {
    const quantile = createQuantile(0.5);
    expect(quantile.value()).toBeUndefined();
    quantile.add(1e9);
    expect(quantile.value()).toBeGreaterThan(890_000);
    const least = createQuantile(0.5);
    least.add(0);
    expect(least.value()).toBe(1);
  });
});
