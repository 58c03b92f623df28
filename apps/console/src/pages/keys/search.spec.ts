import { readKeysSearch, toQuery } from './search.ts';

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
  [
    { sort: '-spent', find: 'ci' },
    { sort: '-spent', find: 'ci' },
  ],
  [{ sort: 'masked', find: '' }, {}],
])('the address %j means %j', (search, meaning) => {
  expect(readKeysSearch(search)).toEqual(meaning);
});

test('pages follow one another without a gap', () => {
  const pages = [{}, { page: 2 }, { page: 3 }];
  expect(pages.map((search) => toQuery(search).offset)).toEqual([0, 20, 40]);
});
