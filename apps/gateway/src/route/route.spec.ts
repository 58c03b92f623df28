import { type Catalogue, TOKEN_KINDS, type PriceSnapshot } from '@tollgate/contracts';
import fc from 'fast-check';
import { inOrder, route } from './route.ts';
import { buildRoutingTable, type Candidate } from './routing-table.ts';
import { createUpstreamClients } from './upstream-clients.ts';

const prices = Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, 1])) as Catalogue['models'][0]['prices'];
const model = (name: string): Catalogue['models'][0] => ({
  name,
  vendor: 'v',
  description: '',
  tags: [],
  prices,
  tiers: [],
  request_price: 0,
  context_window: null,
  max_output_tokens: null,
  limits: {},
});
const upstream = (
  name: string,
  protocols: Catalogue['upstreams'][0]['protocols'],
): Catalogue['upstreams'][0] => ({
  name,
  base_url: 'http://127.0.0.1:9',
  protocols,
  sealed_credential: null,
  costs: {},
  cost_ratio: null,
  connect_timeout_ms: 1_000,
  first_byte_timeout_ms: 1_000,
  idle_timeout_ms: 1_000,
});

const snapshot: PriceSnapshot = {
  version: 3,
  hash: '0'.repeat(64),
  published_at: '2026-11-21T00:00:00.000Z',
  catalogue: {
    vendors: [{ name: 'v', description: '', icon: '' }],
    models: [model('open'), model('secret'), model('unserved')],
    groups: [
      { name: 'default', description: '', ratio: '1', models: ['open', 'unserved'], limits: {} },
      { name: 'vip', description: '', ratio: '0.8', models: ['*'], limits: {} },
    ],
    upstreams: [upstream('a', ['openai-chat']), upstream('b', ['openai-chat', 'gemini'])],
    pools: [
      {
        name: 'vip only',
        groups: ['vip'],
        models: ['secret'],
        members: [{ upstream: 'b', priority: 0, weight: 1, model_map: { secret: 'b-secret' } }],
      },
      {
        name: 'all',
        groups: ['*'],
        models: ['open'],
        members: [
          { upstream: 'b', priority: 1, weight: 1, model_map: {} },
          { upstream: 'a', priority: 0, weight: 1, model_map: {} },
        ],
      },
    ],
    discounts: [],
    limits: { client: {}, key: {}, route: {} },
  },
};

const clients = createUpstreamClients(Buffer.alloc(32));
const table = buildRoutingTable(snapshot, clients.update(snapshot.catalogue.upstreams));
afterAll(() => clients.close());

const wanted = (group: string, name: string, protocol: 'openai-chat' | 'gemini' = 'openai-chat') =>
  route(table, { group, model: name, protocol });

test('the pool of the model in the group, best priority first', () => {
  const found = wanted('default', 'open');
  expect(found.ok && found.candidates.map(({ client }) => client.upstream.name)).toEqual(['a', 'b']);
});

test('the upstream gets its own name for the model', () => {
  const found = wanted('vip', 'secret');
  expect(found.ok && found.candidates[0]?.upstreamModel).toBe('b-secret');
});

test('an upstream is spoken to in the caller’s protocol where it knows that, else in the nearest one', () => {
  const found = wanted('default', 'open', 'gemini');
  expect(
    found.ok && found.candidates.map(({ client, protocol }) => [client.upstream.name, protocol]),
  ).toEqual([
    ['a', 'openai-chat'],
    ['b', 'gemini'],
  ]);
});

test.each([
  ['a model that does not exist', 'default', 'nothing', 'model_not_found'],
  ['a model of another group', 'default', 'secret', 'model_not_found'],
  ['a model that no pool serves', 'vip', 'unserved', 'model_not_found'],
  ['a group that does not exist', 'gone', 'open', 'invalid_group'],
])('%s is refused', (_case, group, name, kind) => {
  const found = wanted(group, name);
  expect(!found.ok && found.error.kind).toBe(kind);
});

test('a client of an unchanged upstream outlives a new snapshot', () => {
  const before = clients.update(snapshot.catalogue.upstreams).get('a');
  const after = clients.update(snapshot.catalogue.upstreams).get('a');
  expect(after).toBe(before);
});

const candidate = (priority: number, weight: number): Candidate => {
  const found = wanted('default', 'open');
  if (!found.ok || !found.candidates[0]) throw new Error('no candidate');
  return { ...found.candidates[0], priority, weight };
};

test('every candidate stays, and none comes before a better priority', () => {
  const candidates = fc.array(
    fc.record({ priority: fc.integer({ min: 0, max: 3 }), weight: fc.integer({ min: 1, max: 100 }) }),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(candidates, (shapes) => {
      const given = shapes.map(({ priority, weight }) => candidate(priority, weight));
      const ordered = inOrder(given, Math.random);
      expect(new Set(ordered)).toEqual(new Set(given));
      const priorities = ordered.map(({ priority }) => priority);
      expect(priorities).toEqual([...priorities].sort((a, b) => a - b));
    }),
  );
});

test('weights share the load in proportion', () => {
  const heavy = candidate(0, 3);
  const light = candidate(0, 1);
  let seed = 42;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const firsts = Array.from({ length: 4_000 }, () => inOrder([light, heavy], random)[0]);
  const share = firsts.filter((first) => first === heavy).length / firsts.length;
  expect(share).toBeGreaterThan(0.71);
  expect(share).toBeLessThan(0.79);
});
