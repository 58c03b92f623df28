import fc from 'fast-check';
import { backoffMs } from './backoff.ts';

test('a back-off is anywhere below a doubling limit', () => {
  const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), fraction, (retry, chance) => {
      const wait = backoffMs(retry, () => chance, { initialMs: 100, maxMs: 5_000, factor: 2 });
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(wait).toBeLessThanOrEqual(Math.min(5_000, 100 * 2 ** (retry - 1)));
    }),
  );
  expect(backoffMs(3, () => 0.5)).toBe(200);
});
