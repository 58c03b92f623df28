import fc from 'fast-check';
import { backoffMs } from './backoff.ts';

test('a back-off is anywhere below a doubling limit, never below what the upstream asked for', () => {
  const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), fc.nat(60_000), fraction, (retry, asked, chance) => {
      const wait = backoffMs(retry, asked, () => chance, { initialMs: 100, maxMs: 5_000, factor: 2 });
      expect(wait).toBeGreaterThanOrEqual(asked);
      expect(wait).toBeLessThanOrEqual(asked + Math.min(5_000, 100 * 2 ** (retry - 1)));
    }),
  );
  expect(backoffMs(3, 0, () => 0.5)).toBe(200);
});
