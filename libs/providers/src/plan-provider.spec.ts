import { type Catalogue, groupSchema, modelSchema, poolSchema } from '@tollgate/catalogue';
import { planProvider, type ProviderRequest } from './plan-provider.ts';
import { findEnvironmentProviders } from './environment.ts';
import { findProvider, PROVIDERS } from './providers.ts';
import { toUpstream } from './to-upstream.ts';

const openai = findProvider('openai');
if (!openai) throw new Error('OpenAI is not on the list');

const pool = (name: string, models: string[]) =>
  poolSchema.parse({ name, groups: ['*'], models, members: [{ upstream: 'simulator' }] });
const EMPTY = {
  vendors: [],
  models: [],
  groups: [groupSchema.parse({ name: 'default', ratio: '1', models: ['sim-chat'] })],
  upstreams: [],
  pools: [pool('narrow', ['sim-chat']), pool('all', ['*'])],
};
const plan = (catalogue: Partial<Catalogue> = {}, request: Partial<ProviderRequest> = {}) =>
  planProvider({ ...EMPTY, ...catalogue }, openai, {
    secret: 's',
    models: [{ name: 'gpt-4o' }],
    groups: ['default'],
    ...request,
  });

test('a pool stands before the first that would take its requests, and groups offer its models', () => {
  const { pool: made, groups, notes } = plan();
  expect(made).toMatchObject({ before: 'all', entry: { name: 'openai', models: ['gpt-4o'] } });
  expect(groups.map(({ name, models }) => [name, models])).toEqual([['default', ['sim-chat', 'gpt-4o']]]);
  expect(notes).toEqual([]);
});

test('a price that somebody has set stays; what the provider charges is known beside it', () => {
  const own = modelSchema.parse({ name: 'gpt-4o', vendor: 'openai', prices: { input: 9, output: 9 } });
  const { models, upstream, notes } = plan({ models: [own] });
  expect(models).toEqual([]);
  expect(upstream.costs?.['gpt-4o']?.prices).toMatchObject({ input: 2_500_000, output: 10_000_000 });
  expect(notes.join()).toContain('kept at the price that is set there');
});

test('models that another pool names are taken over and that is said, or are left', () => {
  const pools = [pool('azure', ['gpt-4o'])];
  expect(plan({ pools })).toMatchObject({ pool: { before: 'azure' } });
  expect(plan({ pools }).notes.join()).toContain('was served by the pool azure');
  const left = plan({ pools }, { leave_served: true, models: [{ name: 'gpt-4o' }, { name: 'o3' }] });
  expect(left.pool?.entry.models).toEqual(['o3']);
  expect(plan({ pools }, { leave_served: true }).pool).toBeNull();
});

test('a model that is not on the list needs a price, and is known by the name that it has there', () => {
  expect(() => plan({}, { models: [{ name: 'brand-new' }] })).toThrow('lists no price of brand-new');
  const prices = { input: 1_000_000, output: 2_000_000 };
  const {
    models,
    pool: made,
    upstream,
  } = plan({}, { models: [{ name: 'ours', upstream_name: 'theirs', prices }] });
  expect(models).toMatchObject([{ name: 'ours', prices }]);
  expect(made?.entry.members[0]?.model_map).toEqual({ ours: 'theirs' });
  expect(upstream.costs).toEqual({});
});

test.each<[string, Partial<Catalogue>, Partial<ProviderRequest>]>([
  ['name', { pools: [pool('openai', ['x'])] }, {}],
  ['secret', {}, { secret: '' }],
  ['models', {}, { models: [] }],
  ['groups', {}, { groups: ['nobody'] }],
  ['way', {}, { way: 'magic' }],
  ['fields.region', {}, { fields: { region: 'x' } }],
])('what is wrong is said by its field: %s', (field, catalogue, request) => {
  expect(() => plan(catalogue, request)).toThrow(expect.objectContaining({ field }));
});

test.each([
  ['COHERE_API_KEY', 'rerank-v4.0-pro', { embed: 'cohere', rerank: 'cohere' }],
  ['JINA_API_KEY', 'jina-reranker-v2-base-multilingual', undefined],
])('a key in %s is enough to rank with %s', (variable, model, formats) => {
  const [found] = findEnvironmentProviders(PROVIDERS, { [variable]: 'key' });
  if (!found?.settings) throw new Error(`${variable} sets nothing up`);
  const models = found.provider.models.map(({ name }) => ({ name }));
  const made = planProvider(EMPTY, found.provider, { ...found.settings, models, groups: ['default'] });
  expect(made.models.find(({ name }) => name === model)).toMatchObject({ operations: ['rerank'] });
  expect(made.upstream.task_formats).toEqual(formats);
  expect(made.upstream.paths?.['openai-chat']?.rerank).toMatch(/rerank$/);
});

test('that no group may use the models is said', () => {
  expect(plan({}, { groups: [] }).notes.join()).toContain('No group may use these models yet');
});

test.each([
  ['text-embedding-9', 'embed', 'embeddings'],
  ['BAAI/bge-reranker-v2-m3', 'rerank', 'reranking'],
  ['BAAI/bge-m3', 'embed', 'embeddings'],
  ['omni-moderation-2024', 'moderate', 'moderation'],
])('%s is offered for its task alone, which is said', (name, operation, word) => {
  const { models, notes } = plan({}, { models: [{ name, prices: { input: 20_000, output: 0 } }] });
  expect(models).toMatchObject([{ name, operations: [operation] }]);
  expect(notes.join()).toContain(`${name}: is for ${word} alone, by its name.`);
});

test('an address is filled in with a location that is called like what every object inherits', () => {
  const vertex = findProvider('vertex');
  if (!vertex) throw new Error('Vertex is not on the list');
  const upstream = toUpstream(vertex, {
    way: vertex.ways.find(({ secret }) => secret === 'ambient')?.name,
    fields: { project: 'my-project', location: 'constructor' },
  });
  expect(upstream.base_url).toContain('https://constructor-');
});

test('a field that is called like what every object inherits is asked for by nobody', () => {
  expect(() => toUpstream(openai, { secret: 's', fields: { constructor: 'x' } })).toThrow(
    'asks for no "constructor"',
  );
});
