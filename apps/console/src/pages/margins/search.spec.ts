import { readMarginsSearch } from './search.ts';

test.each([
  [{}, {}],
  [
    { by: 'customer', from: '2026-11-01', to: '2026-11-30' },
    { by: 'customer', from: '2026-11-01', to: '2026-11-30' },
  ],
  [{ by: 'colour', from: 'today' }, {}],
])('the address %j means %j', (search, meaning) => {
  expect(readMarginsSearch(search)).toEqual(meaning);
});
