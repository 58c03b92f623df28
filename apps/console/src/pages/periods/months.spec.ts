import { lastMonth } from './months.ts';

test.each([
  [new Date(2026, 10, 21), '2026-10'],
  [new Date(2026, 0, 31), '2025-12'],
  [new Date(2026, 2, 31), '2026-02'],
])('the month before %s is %s', (today, month) => {
  expect(lastMonth(today)).toBe(month);
});
