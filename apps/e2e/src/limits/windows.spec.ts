import { deviations, type Answered } from './windows.ts';

const PER_SECOND = 10;
const of = { perSecond: PER_SECOND, leastMs: 2_000 };

/** Ten requests of every hundred milliseconds, of which those are admitted that the limit lets through. */
function answers(admits: (decisecond: number) => number, latencyMs = 4): Answered[] {
  return Array.from({ length: 100 }, (_, decisecond) =>
    Array.from({ length: 10 }, (_unused, n): Answered => {
      const sentAt = 1_000_000 + 100 * decisecond + 10 * n;
      return { sentAt, endedAt: sentAt + latencyMs, admitted: n < admits(decisecond) };
    }),
  ).flat();
}

test('one request in every hundred milliseconds is ten a second in every window', () => {
  const { windows, excess, shortfall } = deviations(
    answers(() => 1),
    of,
  );
  expect(windows).toBeGreaterThan(1_000);
  expect(excess).toBeLessThanOrEqual(1);
  expect(shortfall).toBeLessThanOrEqual(1);
});

test.each<[string, (decisecond: number) => number, 'excess' | 'shortfall']>([
  ['three too many in a row', (n) => (n >= 50 && n < 53 ? 2 : 1), 'excess'],
  ['three too few in a row', (n) => (n >= 50 && n < 53 ? 0 : 1), 'shortfall'],
  ['a tenth too many', (n) => (n % 10 === 0 ? 2 : 1), 'excess'],
  ['a tenth too few', (n) => (n % 10 === 0 ? 0 : 1), 'shortfall'],
])('%s is found', (_what, admits, which) => {
  expect(deviations(answers(admits), of)[which]).toBeGreaterThan(1);
});

test('what a slow answer may have been is given the benefit of the doubt', () => {
  const late = deviations(
    answers((n) => (n >= 50 && n < 53 ? 2 : 1), 1_500),
    of,
  );
  expect(late.excess).toBeLessThanOrEqual(1);
  expect(late.shortfall).toBeLessThanOrEqual(1);
});

test('a standstill of everybody, after which what was saved is admitted at once, is no window', () => {
  const still = answers((n) => (n < 50 || n >= 80 ? 1 : 0)).filter(
    ({ sentAt }) => sentAt < 1_005_000 || sentAt >= 1_008_000,
  );
  const made = Array.from({ length: 30 }, (): Answered => {
    return { sentAt: 1_007_990, endedAt: 1_007_994, admitted: true };
  });
  const { excess, shortfall } = deviations([...still, ...made], of);
  expect([excess <= 1, shortfall <= 1]).toEqual([true, true]);
});
