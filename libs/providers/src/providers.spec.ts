import { modelInputSchema, modelSchema, upstreamInputSchema, upstreamSchema } from '@tollgate/catalogue';
import { type ModelOperation, PROTOCOLS, TASKS } from '@tollgate/vocabulary';
import { guessOperations } from './guess-task.ts';
import { planProvider } from './plan-provider.ts';
import type { CredentialWay, Provider, ProviderModel } from './provider.ts';
import { PROVIDERS } from './providers.ts';
import { listFields, toUpstream } from './to-upstream.ts';

const EMPTY = { vendors: [], models: [], groups: [], upstreams: [], pools: [] };

const settingsFor = (provider: Provider, way: CredentialWay) => ({
  way: way.name,
  secret: 'a-secret',
  fields: Object.fromEntries(listFields(provider, way).map(({ name, example }) => [name, example])),
});

const listOperations = ({ name, upstream_name, operations }: ProviderModel): readonly ModelOperation[] => {
  const guessed = operations ?? guessOperations(upstream_name ?? name);
  return guessed.length === 0 ? ['generate'] : guessed;
};

const WAYS = PROVIDERS.flatMap((provider) =>
  provider.ways.map((way): [string, string, Provider, CredentialWay] => [
    provider.name,
    way.name,
    provider,
    way,
  ]),
);

test('there are thirty providers and more, each of another name', () => {
  const names = PROVIDERS.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(30);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(PROVIDERS.map(({ title }) => title)).size).toBe(names.length);
});

test.each(WAYS)('%s with %s is an upstream', (_name, _way, provider, way) => {
  const upstream = toUpstream(provider, settingsFor(provider, way));
  const { credentials = [], ...parsed } = upstreamInputSchema.parse(upstream);
  upstreamSchema.parse({
    ...parsed,
    costs: {},
    credentials: credentials.map(({ name }) => ({ name, sealed: 's' })),
  });
  // Nothing that was to be filled in is left.
  expect(JSON.stringify({ ...parsed, paths: undefined })).not.toMatch(/\{[a-z_]+\}/);
});

test.each(PROVIDERS.map((provider): [string, Provider] => [provider.name, provider]))(
  'the models of %s are models of the catalogue',
  (_name, provider) => {
    const [way] = provider.ways;
    if (!way || provider.models.length === 0) return;
    const names = provider.models.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const plan = planProvider(EMPTY, provider, {
      ...settingsFor(provider, way),
      models: names.map((name) => ({ name })),
      groups: [],
    });
    for (const model of plan.models) modelInputSchema.parse(model);
    expect(Object.keys(plan.upstream.costs ?? {})).toEqual(names);
    expect(plan.pool?.entry.models).toEqual(names);
  },
);

test.each(PROVIDERS.map((provider): [string, Provider] => [provider.name, provider]))(
  'prices of %s can be meant, and say where they are from',
  (_name, { models }) => {
    for (const model of models) {
      const { name, prices, tiers = [], unit_prices, source } = model;
      modelSchema.shape.name.parse(name);
      const operations = listOperations(model);
      const isFree = operations.includes('moderate');
      const writes = operations.includes('generate');
      const lists = [prices, ...tiers.map((tier) => tier.prices)];
      for (const list of lists) {
        // The most expensive model of today costs 180 USD, the cheapest 0.002: others are a slip of the point. What is paid
        // by the piece costs nothing by tokens, and what writes nothing costs nothing by what it writes.
        const outside = Object.entries(list).filter(
          ([kind, price]) =>
            !(price >= 1_000 && price <= 300_000_000) &&
            !(price === 0 && (isFree || unit_prices !== undefined || (kind === 'output' && !writes))),
        );
        expect([name, outside]).toEqual([name, []]);
        if (writes) expect(list.output).toBeGreaterThanOrEqual(list.input);
        expect(list.cache_read ?? 0).toBeLessThanOrEqual(list.input);
      }
      // A longer context never costs less.
      for (const tier of tiers) {
        expect(tier.prices.input).toBeGreaterThanOrEqual(prices.input);
        expect(tier.prices.output).toBeGreaterThanOrEqual(prices.output);
      }
      expect(URL.canParse(source.url)).toBe(true);
      expect(source.date).toMatch(/^20\d{2}-\d{2}-\d{2}$/);
    }
  },
);

test('no two providers are found by the same variable but the doors of Bedrock', () => {
  const variables = PROVIDERS.flatMap(({ ways }) => ways.flatMap(({ env }) => env ?? []));
  const twice = variables.filter((name, index) => variables.indexOf(name) !== index);
  // Two doors of one cloud: what the first serves, the second leaves.
  expect(twice).toEqual(['AWS_BEARER_TOKEN_BEDROCK']);
});

test('what clouds carry is named by formats that there are', () => {
  for (const { protocols, paths = {}, wrapping = {} } of PROVIDERS) {
    for (const format of protocols) expect(PROTOCOLS).toContain(format);
    for (const format of [...Object.keys(paths), ...Object.keys(wrapping)])
      expect(protocols).toContain(format);
  }
});

const DEPLOYED = ['azure-openai-classic'];

test.each(PROVIDERS.map((provider): [string, Provider] => [provider.name, provider]))(
  '%s has a path for each thing that its models are for, and for nothing else',
  (name, { paths, models, own_machine, task_formats = {} }) => {
    const served = new Set(models.flatMap(listOperations));
    const stated = new Set(Object.values(paths ?? {}).flatMap((each) => Object.keys(each)));
    // How Vertex embeds goes with a model, and so does the path.
    if (task_formats.embed === 'vertex') stated.add('embed');
    // Without paths of its own, each is where the vendor of its format has it.
    if (paths === undefined || own_machine) return;
    const listed = TASKS.filter((task) => served.has(task));
    // Deployments have names of their own: whoever has one for something else is to reach it too.
    const reached = TASKS.filter(
      (task) => stated.has(task) && (served.has(task) || !DEPLOYED.includes(name)),
    );
    expect(reached).toEqual(listed);
  },
);

test.each([
  ['cohere', { embed: 'cohere', rerank: 'cohere' }],
  ['jina', undefined],
  ['tei', { rerank: 'tei' }],
])('%s is asked to embed and to rank as it takes that', (name, formats) => {
  const provider = PROVIDERS.find((each) => each.name === name);
  const [way] = provider?.ways ?? [];
  if (!provider || !way) throw new Error(`${name} is not on the list`);
  const upstream = upstreamInputSchema.parse(toUpstream(provider, settingsFor(provider, way)));
  expect(upstream.task_formats).toEqual(formats);
  expect(upstream.paths?.['openai-chat']).toMatchObject({
    embed: expect.stringMatching(/^\//),
    rerank: expect.stringMatching(/^\//),
  });
});

test.each([
  ['gemini', 'gemini-3-pro-image', ['generate', 'draw']],
  ['groq', 'whisper-large-v3-turbo', ['transcribe']],
  ['cohere', 'rerank-v4.0-pro', ['rerank']],
  ['openai', 'gpt-image-2', ['draw', 'edit']],
])('%s offers %s for what it is for, and says nothing of it', (provider, name, operations) => {
  const found = PROVIDERS.find((each) => each.name === provider);
  const [way] = found?.ways ?? [];
  if (!found || !way) throw new Error(`${provider} is not on the list`);
  const plan = planProvider(EMPTY, found, {
    ...settingsFor(found, way),
    models: [{ name }],
    groups: [],
  });
  expect(plan.models).toMatchObject([{ name, operations }]);
  expect(plan.notes.join()).not.toContain('by its name');
});
