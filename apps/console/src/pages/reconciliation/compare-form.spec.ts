import { emptyCompareForm, isTolerance, toParams } from './compare-form.ts';

test('columns are named only where the file calls them something else', () => {
  const form = {
    ...emptyCompareForm,
    upstream: ' east ',
    includesCached: true,
    columns: { ...emptyCompareForm.columns, day: ' Date ', amount_usd: 'Cost' },
  };
  expect(toParams(form)).toEqual({
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
