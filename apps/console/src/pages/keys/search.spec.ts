import { toPage, readKeysSearch } from './search.ts';

test.each([
  [{}, {}],
  [
    { page: 3, create: true },
    { page: 3, create: true },
  ],
  [{ page: 1 }, {}],
  [{ page: 0 }, {}],
  [{ page: -2 }, {}],
  [{ page: 1.5 }, {}],
  [{ page: '3' }, {}],
  [{ page: 1e9 }, {}],
  [{ create: 'true' }, {}],
])('the address %j means %j', (search, meaning) => {
  expect(readKeysSearch(search)).toEqual(meaning);
});

test('pages follow one another without a gap', () => {
  expect([toPage(), toPage(2), toPage(3)].map(({ offset }) => offset)).toEqual([0, 20, 40]);
});
