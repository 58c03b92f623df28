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

test.each([
  ['01a209cc-f68d-73b0-8a19-ac700191f4ff', { account: '01a209cc-f68d-73b0-8a19-ac700191f4ff' }],
  ['all', { account: 'all' }],
  ['All', {}],
  [7, {}],
])('the account %j of an address is read as %j', (account, search) => {
  expect(readStatementsSearch({ account })).toEqual(search);
});

test('of all accounts the address says which, what of them, up to when, and the page', () => {
  const search = { account: 'all', to: '2026-10', find: 'Acme', measure: 'credit', page: 2 };
  expect(readStatementsSearch(search)).toEqual({ ...search, page: '2' });
  expect(readStatementsSearch({ account: 'all', find: '', page: true })).toEqual({ account: 'all' });
  expect(readStatementsSearch({ account: 'all', month: '2026-10' })).toEqual({ month: '2026-10' });
});
