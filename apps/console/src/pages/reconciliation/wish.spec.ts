import { emptyWish, isTolerance, wishOf } from './wish.ts';

test('columns are named only where the file calls them something else', () => {
  const form = {
    ...emptyWish,
    upstream: ' east ',
    includesCached: true,
    columns: { ...emptyWish.columns, day: ' Date ', amount_usd: 'Cost' },
  };
  expect(wishOf(form)).toEqual({
    upstream: 'east',
    time_zone: 'UTC',
    tolerance_percent: '0.5',
    input_includes_cached: 'true',
    'column.day': 'Date',
    'column.amount_usd': 'Cost',
  });
});

test.each([
  ['0', true],
  ['0.5', true],
  ['100', true],
  ['', false],
  ['-1', false],
  ['5%', false],
])('"%s" is a tolerance: %s', (text, is) => {
  expect(isTolerance(text)).toBe(is);
});
