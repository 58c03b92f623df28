import { type Catalogue, groupSchema, poolSchema, upstreamSchema } from '@tollgate/catalogue';
import { seal } from '@tollgate/platform';
import { TOKEN_KINDS } from '@tollgate/vocabulary';
import { priceSnapshot } from '../../testing/price-snapshot.ts';
import type { Candidate } from './candidates.ts';
import { groupFor, inOrder, route } from './route.ts';
import { buildRoutingTable } from './routing-table.ts';
import { createUpstreamClients } from '../upstreams/upstream-clients.ts';

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
): Catalogue['upstreams'][0] =>
  upstreamSchema.parse({ name, base_url: 'http://127.0.0.1:9', protocols, allow_private_addresses: true });

const snapshot = priceSnapshot({
  vendors: [{ name: 'v', description: '', icon: '' }],
  models: [model('open'), model('secret'), model('spare'), model('unserved')],
  groups: [
    groupSchema.parse({ name: 'default', ratio: '1', models: ['open', 'unserved'] }),
    groupSchema.parse({
      name: 'vip',
      ratio: '0.8',
      models: ['*'],
      fallbacks: { secret: ['unserved', 'spare', 'open'] },
    }),
    groupSchema.parse({ name: 'eu', ratio: '1', models: ['*'], required_tags: ['eu'] }),
  ],
  upstreams: [
    upstream('a', ['openai-chat']),
    { ...upstream('b', ['openai-chat', 'gemini']), tags: ['eu', 'fast'], cost_ratio: '0.5' },
  ],
  pools: [
    poolSchema.parse({
      name: 'vip-only',
      groups: ['vip'],
      models: ['secret'],
      members: [{ upstream: 'b', model_map: { secret: 'b-secret' } }],
    }),
    poolSchema.parse({
      name: 'all',
      groups: ['*'],
      models: ['open', 'spare'],
      strategy: 'cheapest',
      members: [
        { upstream: 'b', priority: 1 },
        { upstream: 'a', cost_ratio: '0.75' },
      ],
    }),
  ],
  auto_groups: ['gone', 'default', 'vip'],
});

const clients = createUpstreamClients(Buffer.alloc(32));
const table = buildRoutingTable(snapshot, clients.update(snapshot.catalogue.upstreams));
afterAll(() => clients.close());

const sticky = { keyId: 'k', prompt: () => 'p' };
const resolve = (
  group: string,
  name: string,
  more: Partial<Parameters<typeof route>[1]> = {},
): ReturnType<typeof route> => route(table, { group, model: name, protocol: 'openai-chat', ...more });

/** Who may serve the model that was asked for, in order. */
function candidatesOf(found: ReturnType<typeof route>): Candidate[] {
  if (!found.ok) throw new Error(found.error.message);
  return inOrder(found.stages[0].candidates, sticky);
}
const upstreamsOf = (found: ReturnType<typeof route>) =>
  candidatesOf(found).map(({ client }) => client.upstream.name);
const modelsOf = (found: ReturnType<typeof route>) =>
  found.ok ? found.stages.map(({ routed }) => routed.model.name) : [];

test('the pool of the model in the group, best priority first', () => {
  expect(upstreamsOf(resolve('default', 'open'))).toEqual(['a', 'b']);
});

test('the upstream gets its own name for the model', () => {
  expect(candidatesOf(resolve('vip', 'secret'))[0]?.upstreamModel).toBe('b-secret');
});

test('an upstream is spoken to in the caller’s protocol where it knows that, else in the nearest one', () => {
  const spoken = candidatesOf(resolve('default', 'open', { protocol: 'gemini' }));
  expect(spoken.map(({ client, protocol }) => [client.upstream.name, protocol])).toEqual([
    ['a', 'openai-chat'],
    ['b', 'gemini'],
  ]);
});

test.each([
  ['a model that does not exist', 'default', 'nothing', 'model_not_found'],
  ['a model of another group', 'default', 'secret', 'model_not_found'],
  ['a model that no pool serves', 'vip', 'unserved', 'model_not_found'],
  ['a group that does not exist', 'gone', 'open', 'invalid_group'],
  ['a model that no automatic group offers', 'auto', 'nothing', 'model_not_found'],
])('%s is refused', (_case, group, name, kind) => {
  const found = resolve(group, name);
  expect(!found.ok && found.error.kind).toBe(kind);
});

test.each([
  ['auto', 'open', 'default'],
  ['auto', 'secret', 'vip'],
  ['auto', 'nothing', 'auto'],
  ['vip', 'open', 'vip'],
])('a key of the group %s is served %s under the group %s', (group, name, served) => {
  expect(groupFor(table, group, name)).toBe(served);
});

test('only upstreams with all tags of a group serve it', () => {
  expect(upstreamsOf(resolve('eu', 'open'))).toEqual(['b']);
});

test('fallbacks follow in their order, without those that nobody serves', () => {
  expect(modelsOf(resolve('vip', 'secret'))).toEqual(['secret', 'spare', 'open']);
  expect(modelsOf(resolve('vip', 'open'))).toEqual(['open']);
});

test('a member’s share of the list price stands in place of its upstream’s', () => {
  const costs = candidatesOf(resolve('default', 'open')).map(({ costPerRequest }) => costPerRequest);
  expect(costs).toEqual([3_000, 2_000]);
});

test('the connections of an unchanged upstream outlive a new snapshot, whatever else changes', () => {
  const [a, ...others] = snapshot.catalogue.upstreams;
  if (!a) throw new Error('there are upstreams');
  const connections = (of: typeof a) => clients.update([of, ...others]).get('a')?.pool;
  const before = connections(a);
  expect(connections({ ...a, tags: ['new'], cost_ratio: '2' })).toBe(before);
  expect(connections({ ...a, base_url: 'http://127.0.0.1:10' })).not.toBe(before);
});

test('a member’s share is divided among its credentials by their weight', () => {
  const [first] = snapshot.catalogue.upstreams;
  if (!first) throw new Error('there are upstreams');
  const sealKey = Buffer.alloc(32);
  const credentials = [1, 3].map((weight) => ({
    name: `w${weight}`,
    weight,
    limits: {},
    sealed: seal(`secret-${weight}`, sealKey),
  }));
  const catalogue = { ...snapshot.catalogue, upstreams: [{ ...first, credentials }] };
  const shared = buildRoutingTable({ ...snapshot, catalogue }, clients.update(catalogue.upstreams));
  const found = route(shared, { group: 'default', model: 'open', protocol: 'openai-chat' });
  const weights = found.ok
    ? found.stages[0].candidates.map(({ credential, weight }) => [credential.secret, weight])
    : [];
  expect(weights).toEqual([
    ['secret-1', 0.25],
    ['secret-3', 0.75],
  ]);
});

test('an upstream that is disabled gets no requests, and does not count among those that remain', () => {
  const { catalogue } = snapshot;
  const off = catalogue.upstreams.map((each) => (each.name === 'a' ? { ...each, disabled: true } : each));
  const clients = createUpstreamClients(Buffer.alloc(32, 1)).update(off);
  const without = buildRoutingTable({ ...snapshot, catalogue: { ...catalogue, upstreams: off } }, clients);
  const names = without.groups
    .get('default')
    ?.models.get('open')
    ?.candidates.get('openai-chat')
    ?.map(({ client }) => client.upstream.name);
  expect(names).toEqual(['b']);
  expect(without.targets.map(({ client }) => client.upstream.name)).toEqual(['a', 'b']);
});
