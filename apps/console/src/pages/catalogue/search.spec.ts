import { readCatalogueSearch } from './search.ts';

test('a tab, a draft, an entry and a pair of versions are taken from the address', () => {
  const search = { tab: 'versions', draft: 'spring', edit: '+', find: 'a', from: 3, to: 5 };
  expect(readCatalogueSearch(search)).toEqual(search);
});

test.each([
  [{ tab: 'nothing' }],
  [{ from: 3 }],
  [{ from: 0, to: 2 }],
  [{ from: 1.5, to: 2 }],
  [{ from: '1', to: 2 }],
  [{ draft: '' }],
])('%j says nothing that the page understands', (search) => {
  expect(readCatalogueSearch(search)).toEqual({});
});
