import { changed, readTexts } from './search-params.ts';

test('only the named texts are taken from an address', () => {
  const search = { model: 'sim-chat', key: '', page: { deep: 1 }, group: 7, other: 'x' };
  expect(readTexts(search, ['model', 'key', 'page', 'group'])).toEqual({ model: 'sim-chat', group: '7' });
});

test('what a person emptied leaves the address', () => {
  const search: { model?: string; key?: string; group?: string } = { model: 'a', key: 'b' };
  expect(changed(search, { model: '', key: undefined, group: 'c' })).toEqual({ group: 'c' });
});
