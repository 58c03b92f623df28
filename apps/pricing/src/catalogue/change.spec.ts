import { type Catalogue, EMPTY_CATALOGUE, ENTRY_SECTIONS, type Upstream } from '@tollgate/catalogue';
import { makePool, smallCatalogue, makeUpstream } from '../../testing/catalogues.ts';
import { applyChange, applyChanges, type CatalogueChange, ImpossibleChange } from './change.ts';

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

test.each(ENTRY_SECTIONS.map((section) => [section]))('deleting from %s takes that entry only', (section) => {
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
  const order = (catalogue: Catalogue) => names(catalogue.pools);
  const base: Catalogue = { ...EMPTY_CATALOGUE, pools: [makePool('a'), makePool('b')] };
  const withNew = applyChange(base, { op: 'put-before', pool: makePool('c'), before: 'b' });
  expect(order(withNew)).toEqual(['a', 'c', 'b']);
  expect(order(applyChange(withNew, { op: 'put-before', pool: makePool('b'), before: 'a' }))).toEqual([
    'b',
    'a',
    'c',
  ]);
});

test.each(['none', 'c'])('a pool cannot be put in front of "%s", which is no other pool', (before) => {
  const pool = makePool('c');
  const base: Catalogue = { ...EMPTY_CATALOGUE, pools: [pool] };
  expect(() => applyChange(base, { op: 'put-before', pool, before })).toThrow(ImpossibleChange);
});

test('changes are made one on top of the other', () => {
  const vendor = (description: string): CatalogueChange => ({
    op: 'put',
    section: 'vendors',
    entry: { name: 'v', description, icon: '' },
  });
  const after = applyChanges(EMPTY_CATALOGUE, [vendor('first'), vendor('second')]);
  expect(after.vendors).toEqual([{ name: 'v', description: 'second', icon: '' }]);
});

const credential = (name: string, sealed?: string) => ({
  name,
  weight: 1,
  limits: {},
  ...(sealed === undefined ? {} : { sealed }),
});

test.each<[string, object, string[]]>([
  ['that are left out stay', {}, ['a=one', 'b=two']],
  ['of an empty list are removed', { credentials: [] }, []],
  [
    'keep the secrets of their names',
    { credentials: [credential('b'), credential('a')] },
    ['b=two', 'a=one'],
  ],
  [
    'are replaced one by one',
    { credentials: [credential('b', 'new'), credential('c', 'three')] },
    ['b=new', 'c=three'],
  ],
])('credentials %s', (_what, stated, expected) => {
  const { credentials: _none, ...rest } = makeUpstream('east');
  const existing = [
    { ...credential('a'), sealed: 'one' },
    { ...credential('b'), sealed: 'two' },
  ];
  const base: Catalogue = { ...smallCatalogue(), upstreams: [{ ...rest, credentials: existing }] };
  const change: CatalogueChange = { op: 'put', section: 'upstreams', entry: { ...rest, ...stated } };
  const after = applyChange(base, change).upstreams[0]?.credentials;
  expect(after?.map(({ name, sealed }) => `${name}=${sealed}`)).toEqual(expected);
});

test('a credential of a new name needs its secret, and one of another upstream does not count', () => {
  const base: Catalogue = {
    ...smallCatalogue(),
    upstreams: [makeUpstream('east', { credentials: [{ ...credential('a'), sealed: 'one' }] })],
  };
  const put = (name: string, of: string): CatalogueChange => ({
    op: 'put',
    section: 'upstreams',
    entry: { ...makeUpstream(name), credentials: [credential(of)] },
  });
  expect(() => applyChange(base, put('east', 'b'))).toThrow('upstreams.east.credentials.b: a new credential');
  expect(() => applyChange(base, put('west', 'a'))).toThrow('upstreams.west.credentials.a: a new credential');
});

test.each([
  ['https://api.east.example/v1', 'https://api.east.example/v2', 'kept'],
  ['https://api.east.example', 'https://API.east.example:443/', 'kept'],
  ['https://api.east.example', 'https://evil.example', 'refused'],
  ['https://api.east.example', 'https://api.east.example.evil.example', 'refused'],
  ['https://api.east.example', 'https://api.east.example@evil.example', 'refused'],
  ['https://api.east.example', 'https://api.east.example:8443', 'refused'],
  ['https://api.east.example', 'http://api.east.example', 'refused'],
])('of an upstream that goes from %s to %s a stored secret is %s', (from, to, outcome) => {
  const base: Catalogue = {
    ...smallCatalogue(),
    upstreams: [
      makeUpstream('east', { base_url: from, credentials: [{ ...credential('a'), sealed: 'one' }] }),
    ],
  };
  const { credentials: _none, ...moved } = makeUpstream('east', { base_url: to });
  const put = (rest: object) =>
    applyChange(base, { op: 'put', section: 'upstreams', entry: { ...moved, ...rest } }).upstreams[0];
  const refusal = 'state every credential with its secret again';
  for (const rest of [{}, { credentials: [credential('a')] }]) {
    if (outcome === 'kept') expect(put(rest)?.credentials[0]?.sealed).toBe('one');
    else expect(() => put(rest)).toThrow(refusal);
  }
  if (outcome === 'refused')
    expect(() => put({ credentials: [credential('a'), credential('b', 'new')] })).toThrow(refusal);
  expect(put({ credentials: [credential('a', 'new')] })?.credentials[0]?.sealed).toBe('new');
  expect(put({ credentials: [] })?.credentials).toEqual([]);
});

test('the automatic groups are replaced as a whole', () => {
  const after = applyChange(smallCatalogue(), { op: 'auto-groups', groups: ['default'] });
  expect(after).toEqual({ ...smallCatalogue(), auto_groups: ['default'] });
});

test('the discounts of an account are replaced together, where they stood, and taken away with none', () => {
  const [a, b] = ['a', 'b'].map((id) => `0198f1c2-7d1e-7000-8000-00000000000${id}`);
  if (!a || !b) throw new Error('two accounts');
  const put = (account_id: string, ...ratios: string[]): CatalogueChange => ({
    op: 'discounts',
    account_id,
    discounts: ratios.map((ratio) => ({ models: ['*'], ratio })),
  });
  const shown = (...changes: CatalogueChange[]) =>
    applyChanges(EMPTY_CATALOGUE, changes).discounts.map(({ account_id, ratio }) => [account_id, ratio]);
  expect(shown(put(a, '0.9'), put(b, '0.8'), put(a, '0.7', '0.6'))).toEqual([
    [a, '0.7'],
    [a, '0.6'],
    [b, '0.8'],
  ]);
  expect(shown(put(a, '0.9'), put(b, '0.8'), put(a))).toEqual([[b, '0.8']]);
});

const AZURE = { kind: 'azure', tenant_id: 't', client_id: 'c' } as const;
const elsewhere = { ...AZURE, authority: 'https://login.evil.example' };

test.each<[string, Partial<Upstream>, Partial<Upstream>]>([
  ['another authority', { auth: { ...AZURE, authority: 'https://login.example' } }, { auth: elsewhere }],
  ['an authority in place of the vendor’s', { auth: AZURE }, { auth: elsewhere }],
  ['another list of models', { auth: AZURE }, { auth: AZURE, model_lists: ['https://evil.example/models'] }],
  [
    'one more list of models',
    { model_lists: ['https://lists.example/a'] },
    { model_lists: ['https://lists.example/a', 'https://evil.example/models'] },
  ],
  ['the upstream itself', { auth: { kind: 'aws', region: 'eu-central-1' } }, {}],
  ['the upstream itself', { auth: AZURE }, { auth: { kind: 'static', header: 'api-key' } }],
])('no stored secret is sent to %s: it has to be stated again', (_whom, before, after) => {
  const credentials = [{ name: 'a', sealed: 's', weight: 1, limits: {} }];
  const base: Catalogue = {
    ...EMPTY_CATALOGUE,
    upstreams: [makeUpstream('u', { credentials, ...before })],
  };
  const { credentials: _, ...entry } = makeUpstream('u', after);
  expect(() => applyChange(base, { op: 'put', section: 'upstreams', entry })).toThrow(
    'state every credential with its secret again',
  );
  const { credentials: _stated, ...unmoved } = makeUpstream('u', before);
  const kept = { ...unmoved, tags: ['eu'] };
  expect(applyChange(base, { op: 'put', section: 'upstreams', entry: kept }).upstreams[0]).toMatchObject({
    tags: ['eu'],
    credentials,
  });
});
