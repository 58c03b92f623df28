import { readStatementsSearch } from './search.ts';

test.each([
  ['2026-11', { month: '2026-11' }],
  ['2026-13', {}],
  ['2026-1', {}],
  ['../keys', {}],
  [202611, {}],
  [undefined, {}],
])('the month %j of an address is read as %j', (month, search) => {
  expect(readStatementsSearch({ month })).toEqual(search);
});
