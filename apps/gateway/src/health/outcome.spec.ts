import fc from 'fast-check';
import { backoffMs } from './backoff.ts';
import { outcomeOfStatus } from './outcome.ts';
import { retryAfterMs } from './retry-after.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

test.each([
  [{ 'retry-after': '7' }, 7_000],
  [{ 'retry-after': ' 0 ' }, 0],
  [{ 'retry-after': '1.5' }, 1_500],
  [{ 'retry-after': 'Fri, 02 Jan 2026 03:04:35 GMT' }, 30_000],
  [{ 'retry-after': 'Friday, 02-Jan-26 03:04:35 GMT' }, 30_000],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
  [{ 'retry-after-ms': 'soon', 'retry-after': '7' }, 7_000],
  [{ 'retry-after': ['3', '9'] }, 3_000],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': '1e9' }, undefined],
  [{ 'retry-after': 'tomorrow' }, undefined],
  [{ 'retry-after': 'Friday' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{}, undefined],
])('%j asks to wait %s ms', (headers, wanted) => {
  expect(retryAfterMs(headers, NOW)).toBe(wanted);
});

test.each([
  [200, { kind: 'answered', firstByteMs: 12 }],
  [201, { kind: 'answered', firstByteMs: 12 }],
  [301, { kind: 'failed', cause: 'status 301', elapsedMs: 12 }],
  [400, { kind: 'unknown' }],
  [401, { kind: 'refused', status: 401 }],
  [402, { kind: 'failed', cause: 'status 402', elapsedMs: 12 }],
  [403, { kind: 'refused', status: 403 }],
  [404, { kind: 'unknown' }],
  [408, { kind: 'failed', cause: 'status 408', elapsedMs: 12 }],
  [413, { kind: 'unknown' }],
  [429, { kind: 'rate-limited', retryAfterMs: 2_000 }],
  [500, { kind: 'failed', cause: 'status 500', elapsedMs: 12 }],
  [529, { kind: 'failed', cause: 'status 529', elapsedMs: 12 }],
])('status %i means %j', (status, wanted) => {
  expect(outcomeOfStatus(status, { 'retry-after': '2' }, NOW, 12)).toEqual(wanted);
});

test('a back-off is anywhere below a doubling limit, never below what the upstream asked for', () => {
  const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), fc.nat(60_000), fraction, (retry, asked, chance) => {
      const wait = backoffMs(retry, asked, () => chance, { baseMs: 100, mostMs: 5_000 });
      expect(wait).toBeGreaterThanOrEqual(asked);
      expect(wait).toBeLessThanOrEqual(asked + Math.min(5_000, 100 * 2 ** (retry - 1)));
    }),
  );
  expect(backoffMs(3, 0, () => 0.5)).toBe(200);
});
