import { readAccountsSearch } from './search.ts';

test.each([
  [{}, {}],
  [{ find: 'Acme' }, { find: 'Acme' }],
  [{ find: 2026 }, { find: '2026' }],
  [{ find: '', create: 'true' }, {}],
  [
    { find: 'x'.repeat(120), create: true },
    { find: 'x'.repeat(100), create: true },
  ],
])('the address %j means %j', (search, meaning) => {
  expect(readAccountsSearch(search)).toEqual(meaning);
});
