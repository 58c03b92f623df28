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

test.each([[{ to: '2026-10', find: 'Acme', measure: 'credit', page: 2 }], [{ measure: 'requests' }]])(
  'of all accounts the address says %j',
  (search) => {
    expect(readStatementsSearch({ account: 'all', ...search })).toEqual({ account: 'all', ...search });
  },
);

test('of all accounts what is as usual or means nothing is left out, and a month is that of one account', () => {
  const usual = { account: 'all', to: 'now', find: '', measure: 'usage', page: 1 };
  expect(readStatementsSearch(usual)).toEqual({ account: 'all' });
  expect(readStatementsSearch({ account: 'all', month: '2026-10' })).toEqual({ month: '2026-10' });
});
