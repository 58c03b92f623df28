import { toRange, type Period } from './periods.ts';

test.each<[Period, string, string, string, string]>([
  ['lastMonth', 'UTC', '2026-01-15T10:00:00Z', '2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ['lastMonth', 'UTC', '2026-03-31T23:59:59Z', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  [
    'lastMonth',
    'Asia/Shanghai',
    '2026-03-31T16:00:00Z',
    '2026-02-28T16:00:00.000Z',
    '2026-03-31T16:00:00.000Z',
  ],
  ['thisMonth', 'UTC', '2026-03-31T23:59:59Z', '2026-03-01T00:00:00.000Z', '2026-03-31T23:59:59.000Z'],
  ['days7', 'UTC', '2026-03-03T12:00:00Z', '2026-02-24T12:00:00.000Z', '2026-03-03T12:00:00.000Z'],
  ['days30', 'UTC', '2026-03-03T12:00:00Z', '2026-02-01T12:00:00.000Z', '2026-03-03T12:00:00.000Z'],
])('%s in %s at %s is from %s to %s', (period, zone, now, from, to) => {
  expect(toRange(period, zone, new Date(now))).toEqual({ from, to });
});

test('a month that begins this very moment is not empty', () => {
  const { from, to } = toRange('thisMonth', 'UTC', new Date('2026-03-01T00:00:00Z'));
  expect(Date.parse(from)).toBeLessThan(Date.parse(to));
});
