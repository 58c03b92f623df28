import type { Catalogue } from '@tollgate/contracts';
import { smallCatalogue } from '../../testing/catalogues.ts';
import { applyChange, type CatalogueChange, EMPTY_CATALOGUE, SECTIONS } from './change.ts';

const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);

test('a new entry stands at the end of its section', () => {
  const after = applyChange(smallCatalogue(), {
    op: 'put',
    section: 'vendors',
    entry: { name: 'newcomer', description: '', icon: '' },
  });
  expect(names(after.vendors)).toEqual(['acme', 'umbra', 'newcomer']);
});

test('an entry of a known name is replaced where it stands', () => {
  const entry = { name: 'acme', description: 'changed', icon: '' };
  const after = applyChange(smallCatalogue(), { op: 'put', section: 'vendors', entry });
  expect(names(after.vendors)).toEqual(['acme', 'umbra']);
  expect(after.vendors[0]).toEqual(entry);
});

test.each(SECTIONS.map((section) => [section]))('deleting from %s takes that entry only', (section) => {
  const before = smallCatalogue();
  const [first, ...others] = before[section];
  const after = applyChange(before, { op: 'delete', section, name: first?.name ?? '' });
  expect(after).toEqual({ ...before, [section]: others });
});

test('deleting what is not there leaves the catalogue as it is', () => {
  const before = smallCatalogue();
  expect(applyChange(before, { op: 'delete', section: 'models', name: 'nothing' })).toEqual(before);
});

test('limits are replaced as a whole', () => {
  const limits = { client: { requests_per_minute: 5 }, key: {}, route: {} };
  expect(applyChange(smallCatalogue(), { op: 'limits', limits })).toEqual({ ...smallCatalogue(), limits });
});

test('a replacement is the new catalogue', () => {
  expect(applyChange(EMPTY_CATALOGUE, { op: 'replace', catalogue: smallCatalogue() })).toEqual(
    smallCatalogue(),
  );
});

test.each<[string, CatalogueChange]>([
  ['put', { op: 'put', section: 'vendors', entry: { name: 'acme', description: 'x', icon: '' } }],
  ['delete', { op: 'delete', section: 'models', name: 'acme-large' }],
  ['limits', { op: 'limits', limits: { client: {}, key: { tokens_per_minute: 1 }, route: {} } }],
])('the change "%s" leaves the catalogue it was given untouched', (_op, change) => {
  const before = smallCatalogue();
  applyChange(before, change);
  expect(before).toEqual(smallCatalogue());
});

test('a pool is put in front of another, whether it is new or stood behind it', () => {
  const pool = (name: string): Catalogue['pools'][0] => ({ name, groups: ['*'], models: ['*'], members: [] });
  const order = (catalogue: Catalogue) => names(catalogue.pools);
  const base: Catalogue = { ...EMPTY_CATALOGUE, pools: [pool('a'), pool('b')] };
  const withNew = applyChange(base, { op: 'put-before', pool: pool('c'), before: 'b' });
  expect(order(withNew)).toEqual(['a', 'c', 'b']);
  expect(order(applyChange(withNew, { op: 'put-before', pool: pool('b'), before: 'a' }))).toEqual([
    'b',
    'a',
    'c',
  ]);
});
