import { canonicalJson, type Catalogue, diffCatalogues, type EntryDifference } from '@tollgate/catalogue';
import fc from 'fast-check';
import { applyDifferences } from '../../testing/apply-differences.ts';
import { arbitraryCatalogue } from '../../testing/arbitrary-catalogue.ts';
import { makeGroup, makeModel, makePool, smallCatalogue } from '../../testing/catalogues.ts';
import { applyChange, type CatalogueChange } from './change.ts';

const changed = (change: CatalogueChange) =>
  diffCatalogues(smallCatalogue(), applyChange(smallCatalogue(), change));

test('a catalogue does not differ from itself', () => {
  expect(diffCatalogues(smallCatalogue(), smallCatalogue())).toEqual([]);
});

test('made on one catalogue the differences give the other, and there are none only between equals', () => {
  fc.assert(
    fc.property(arbitraryCatalogue, arbitraryCatalogue, (a, b) => {
      const differences = diffCatalogues(a, b);
      const parsed = JSON.parse(JSON.stringify(differences)) as EntryDifference[];
      expect(canonicalJson(applyDifferences(a, parsed))).toBe(canonicalJson(b));
      expect(differences.length === 0).toBe(canonicalJson(a) === canonicalJson(b));
    }),
    { numRuns: 300 },
  );
});

const prices = { input: 300_000, cache_read: 100_000, input_image: 200_000, output: 2_100_000 };
const third = makeModel('acme-third', prices);
const tier = { above_input_tokens: 200_000, prices: third.prices };
test.each<[string, CatalogueChange, object[]]>([
  [
    'a price',
    {
      op: 'put',
      section: 'models',
      entry: makeModel('umbra-free', { input: 0, output: 7 }, { vendor: 'umbra', max_output_tokens: 4_096 }),
    },
    ['output', 'output_reasoning', 'output_audio', 'output_image'].map((kind) => ({
      path: `/prices/${kind}`,
      from: 0,
      to: 7,
    })),
  ],
  [
    'a tier, with all tiers,',
    { op: 'put', section: 'models', entry: { ...third, tiers: [tier] } },
    [{ path: '/tiers', from: [], to: [tier] }],
  ],
  [
    'a limit that was not there',
    {
      op: 'put',
      section: 'groups',
      entry: makeGroup('default', {
        description: 'Everybody',
        ratio: '0.9',
        limits: { requests_per_minute: 5 },
      }),
    },
    [
      { path: '/ratio', from: '1', to: '0.9' },
      { path: '/limits/requests_per_minute', to: 5 },
    ],
  ],
])('%s is told with its place and both values', (_what, change, fields) => {
  expect(changed(change).flatMap((each) => each.fields)).toEqual(fields);
});

test('names with a slash or a tilde are escaped in the path', () => {
  const [east] = smallCatalogue().upstreams;
  const [first] = smallCatalogue().models;
  if (!east || !first) throw new Error('the small catalogue has both');
  const list = { prices: first.prices, tiers: [], request_price: 0 };
  const withCosts = (costs: typeof east.costs): Catalogue => ({
    ...smallCatalogue(),
    upstreams: [{ ...east, costs }],
  });
  const differences = diffCatalogues(
    withCosts({ 'acme/x~1': list }),
    withCosts({ 'acme/x~1': { ...list, request_price: 3 } }),
  );
  expect(differences).toEqual([
    {
      section: 'upstreams',
      name: 'east',
      change: 'changed',
      fields: [{ path: '/costs/acme~1x~01/request_price', from: 0, to: 3 }],
    },
  ]);
});

test('what comes and what goes is told as a whole', () => {
  expect(changed({ op: 'delete', section: 'models', name: 'acme-large' })).toMatchObject([
    {
      section: 'models',
      name: 'acme-large',
      change: 'removed',
      fields: [{ path: '', from: { vendor: 'acme' } }],
    },
  ]);
  const entry = { name: 'newcomer', description: 'x', icon: '' };
  expect(changed({ op: 'put', section: 'vendors', entry })).toEqual([
    {
      section: 'vendors',
      name: 'newcomer',
      change: 'added',
      fields: [{ path: '', to: { description: 'x', icon: '' } }],
    },
  ]);
});

test('a pool in front of another is a change of order', () => {
  const pool = makePool('first');
  expect(changed({ op: 'put-before', pool, before: 'main' })).toMatchObject([
    { section: 'pools', name: 'first', change: 'added' },
    {
      section: 'pools',
      name: '*',
      change: 'changed',
      fields: [{ path: '/order', from: ['main'], to: ['first', 'main'] }],
    },
  ]);
});
