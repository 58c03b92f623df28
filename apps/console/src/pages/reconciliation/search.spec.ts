import { readReconciliationSearch } from './search.ts';

const ID = '0198f1c2-7d1e-7000-8000-000000000001';

test.each([
  [{}, {}],
  [
    { id: ID, rows: 'differs', create: true },
    { id: ID, rows: 'differs', create: true },
  ],
  [{ rows: 'all' }, { rows: 'all' }],
  [{ id: 'newest', rows: 'odd', create: 'yes' }, {}],
])('the address %j means %j', (search, meaning) => {
  expect(readReconciliationSearch(search)).toEqual(meaning);
});
