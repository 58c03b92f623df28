import { AUTO_GROUP, catalogueSchema } from '@tollgate/catalogue';
import { TOKEN_KINDS } from '@tollgate/vocabulary';
import { keyRecord } from '../../testing/keys.ts';
import { priceSnapshot } from '../../testing/price-snapshot.ts';
import { buildRoutingTable } from './routing-table.ts';
import { createUpstreamClients } from '../upstreams/upstream-clients.ts';
import { listVisibleModels, restrictTable } from './visible-models.ts';

const prices = Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, 1]));
const OFFERED: Readonly<Record<string, readonly string[]>> = {
  cheap: ['a', 'b'],
  dear: ['b', 'c'],
  closed: ['d'],
};
const catalogue = catalogueSchema.parse({
  vendors: [{ name: 'v' }],
  models: ['a', 'b', 'c', 'd'].map((name) => ({ name, vendor: 'v', prices })),
  groups: Object.entries(OFFERED).map(([name, offered]) => ({ name, ratio: '1', models: offered })),
  upstreams: [
    { name: 'u', base_url: 'http://127.0.0.1:9', protocols: ['openai-chat'], allow_private_addresses: true },
  ],
  pools: [{ name: 'all', groups: ['*'], models: ['*'], members: [{ upstream: 'u' }] }],
  auto_groups: ['cheap', 'gone', 'dear'],
  limits: {},
});
const clients = createUpstreamClients(Buffer.alloc(32));
afterAll(() => clients.close());
const table = buildRoutingTable(priceSnapshot(catalogue), clients.update(catalogue.upstreams));

const keyOf = (group: string, models: string[] | null) => keyRecord({ group, models });

test.each<[string, string[] | null, string[] | undefined]>([
  ['cheap', null, ['a', 'b']],
  ['cheap', ['b'], ['b']],
  ['cheap', ['c', 'x'], []],
  ['gone', null, undefined],
  ['gone', ['a'], undefined],
  [AUTO_GROUP, null, ['a', 'b', 'c']],
  [AUTO_GROUP, ['b', 'd'], ['b']],
])('a key of the group %s with the list %j may use %j', (group, names, expected) => {
  const offered = listVisibleModels(table, keyOf(group, names));
  expect(offered && [...offered.keys()].sort()).toEqual(expected);
});

test('whoever reads the table of a key with a list finds nothing else in it', () => {
  const view = restrictTable(table, keyOf(AUTO_GROUP, ['b']));
  const found = [...view.groups].map(([name, { models: offered }]) => [name, [...offered.keys()]]);
  expect(found).toEqual([
    ['cheap', ['b']],
    ['dear', ['b']],
  ]);
  expect([...(table.groups.get('cheap')?.models.keys() ?? [])]).toEqual(['a', 'b']);
});

test('the table of a key is made once, and again for another record or another table', () => {
  const key = keyOf('cheap', ['a']);
  expect(restrictTable(table, key)).toBe(restrictTable(table, key));
  expect(restrictTable(table, { ...key })).not.toBe(restrictTable(table, key));
  expect(restrictTable({ ...table, version: 2 }, key).version).toBe(2);
  expect(restrictTable(table, keyOf('cheap', null))).toBe(table);
});
