import { groupSchema, modelSchema, poolSchema, upstreamSchema } from '@tollgate/catalogue';
import { priceSnapshot } from '../../testing/price-snapshot.ts';
import { createUpstreamClients } from '../upstreams/upstream-clients.ts';
import { route } from './route.ts';
import { buildRoutingTable } from './routing-table.ts';

/** Names that every object answers to, as far as a catalogue may have them. */
const NAMES = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf'];

const clients = createUpstreamClients(Buffer.alloc(32));
afterAll(() => clients.close());

const prices = { input: 1_000_000, output: 2_000_000 };
const snapshot = priceSnapshot({
  vendors: NAMES.map((name) => ({ name, description: '', icon: '' })),
  models: NAMES.map((name) => modelSchema.parse({ name, vendor: name, prices })),
  groups: NAMES.map((name) => groupSchema.parse({ name, ratio: '1', models: ['*'], required_tags: [name] })),
  upstreams: NAMES.map((name) =>
    upstreamSchema.parse({
      name,
      base_url: 'http://127.0.0.1:9',
      protocols: ['openai-chat'],
      tags: [name],
      cost_ratio: '0.5',
      allow_private_addresses: true,
    }),
  ),
  pools: NAMES.map((name) =>
    poolSchema.parse({ name, groups: [name], models: ['*'], members: [{ upstream: name }] }),
  ),
});
const table = buildRoutingTable(snapshot, clients.update(snapshot.catalogue.upstreams));

test.each(NAMES)('a model, a group, a pool, an upstream and a tag may be called %s', (name) => {
  const found = route(table, { group: name, model: name, protocol: 'openai-chat' });
  if (!found.ok) throw new Error(found.error.message);
  const [{ candidates }, ...fallbacks] = found.stages;
  expect(fallbacks).toEqual([]);
  expect(candidates).toMatchObject([
    { pool: { name }, client: { upstream: { name } }, upstreamModel: name, costPerRequest: 2_500_000_000 },
  ]);
});
