import { modelInputSchema, modelSchema, upstreamInputSchema, upstreamSchema } from '@tollgate/catalogue';
import { PROTOCOLS } from '@tollgate/vocabulary';
import { planProvider } from './plan-provider.ts';
import type { CredentialWay, Provider } from './provider.ts';
import { PROVIDERS } from './providers.ts';
import { listFields, toUpstream } from './to-upstream.ts';

const EMPTY = { vendors: [], models: [], groups: [], upstreams: [], pools: [] };

const settingsFor = (provider: Provider, way: CredentialWay) => ({
  way: way.name,
  secret: 'a-secret',
  fields: Object.fromEntries(listFields(provider, way).map(({ name, example }) => [name, example])),
});
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
    for (const { name, prices, tiers = [], source } of models) {
      modelSchema.shape.name.parse(name);
      const lists = [prices, ...tiers.map((tier) => tier.prices)];
      for (const list of lists) {
        // The most expensive model of today costs 180 USD, the cheapest 0.01: others are a slip of the point.
        const outside = Object.entries(list).filter(([, price]) => !(price >= 1_000 && price <= 300_000_000));
        expect([name, outside]).toEqual([name, []]);
        expect(list.output).toBeGreaterThanOrEqual(list.input);
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
