import { readUsersSearch } from './search.ts';

test.each([
  [{}, {}],
  [
    { account: '0198f1c2-7d1e-7000-8000-000000000001', invite: true },
    { account: '0198f1c2-7d1e-7000-8000-000000000001', invite: true },
  ],
  [{ account: 'acme', invite: 'yes' }, {}],
])('of the address %j the page takes %j', (search, taken) => {
  expect(readUsersSearch(search)).toEqual(taken);
});
