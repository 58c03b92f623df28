import { toRange, type Period } from './periods.ts';

test.each<[Period, string, string, string]>([
  ['lastMonth', '2026-01-15T10:00:00Z', '2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ['lastMonth', '2026-03-31T23:59:59Z', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  ['thisMonth', '2026-03-31T23:59:59Z', '2026-03-01T00:00:00.000Z', '2026-03-31T23:59:59.000Z'],
  ['days7', '2026-03-03T12:00:00Z', '2026-02-24T12:00:00.000Z', '2026-03-03T12:00:00.000Z'],
  ['days30', '2026-03-03T12:00:00Z', '2026-02-01T12:00:00.000Z', '2026-03-03T12:00:00.000Z'],
])('%s at %s is from %s to %s', (period, now, from, to) => {
  expect(toRange(period, new Date(now))).toEqual({ from, to });
});

test('a month that begins this very moment is not empty', () => {
  const { from, to } = toRange('thisMonth', new Date('2026-03-01T00:00:00Z'));
  expect(Date.parse(from)).toBeLessThan(Date.parse(to));
});
