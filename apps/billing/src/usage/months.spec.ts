import { addMonths } from './partitions.ts';

test.each([
  ['2026-11', 1, '2026-12'],
  ['2026-12', 1, '2027-01'],
  ['2026-01', -1, '2025-12'],
  ['2024-02', 12, '2025-02'],
])('%s and %d months is %s', (month, count, expected) => {
  expect(addMonths(month, count)).toBe(expected);
});
