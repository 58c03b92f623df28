import { findShortage } from './shortage.ts';

test.each([
  ['0.00', '0.00', 'out'],
  ['-0.04', undefined, 'out'],
  ['0.000000000001', undefined, null],
  ['2.99', '3.00', 'low'],
  ['3.00', '3.00', null],
  ['3.00', '0.00', null],
])('%s left after %s in three days is %s', (left, spent, shortage) => {
  expect(findShortage(left, spent)).toBe(shortage);
});
