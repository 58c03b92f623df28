import { type Catalogue, catalogueSchema, completePrices } from '@tollgate/catalogue';
import { catalogueText } from './file-text.ts';
import { fileSchema } from './file-schema.ts';
import { computePlan } from './plan.ts';
import { planText } from './plan-text.ts';
import { parseYaml } from './read-file.ts';

const LIVE: Catalogue = catalogueSchema.parse({
  vendors: [{ name: 'acme' }],
  models: [
    {
      name: 'large',
      vendor: 'acme',
      prices: completePrices({ input: 30, output: 60, cache_read: 3 }),
      unit_prices: { searches: 10_000_000_000 },
      service_tiers: { priority: '2' },
      regions: { us: '1.1' },
      features: { web_search: 'priced' },
    },
    { name: 'small', vendor: 'acme', prices: completePrices({ input: 1, output: 2 }), request_price: 5 },
  ],
  groups: [{ name: 'default', ratio: '1', models: ['*'] }],
  upstreams: [
    {
      name: 'east',
      base_url: 'https://east.example',
      protocols: ['openai-chat'],
      credentials: [{ name: 'first', sealed: '' }],
      costs: {
        large: {
          prices: completePrices({ input: 20, output: 40 }),
          unit_prices: { searches: 7 },
          service_tiers: { priority: '1.75' },
          regions: { us: '1.05' },
        },
      },
    },
  ],
  pools: ['a', 'b', 'c'].map((name) => ({
    name,
    groups: ['*'],
    models: ['*'],
    members: [{ upstream: 'east' }],
  })),
  discounts: [{ account_id: '0198f1c2-7d1e-7000-8000-000000000001', models: ['*'], ratio: '0.9' }],
  auto_groups: ['default'],
  limits: { key: { requests_per_minute: 60 } },
});
const file = () => parseYaml(catalogueText(LIVE), 'live', fileSchema);

test('a catalogue that is written as a file and read again is the same', () => {
  expect(computePlan(file(), LIVE)).toEqual({ differences: [], changes: [], secrets: [] });
  expect(catalogueText(LIVE)).toContain('cache_read: 3\n');
  expect(catalogueText(LIVE)).not.toMatch(/sealed|output_audio|has_secret/);
});

test('sections that are left out, and another order of entries, change nothing', () => {
  expect(computePlan({}, LIVE).changes).toEqual([]);
  expect(computePlan({ models: file().models?.toReversed() }, LIVE).changes).toEqual([]);
});

test('a new price is one change, and shown from and to', () => {
  const models = file().models?.map((model) => ({ ...model, prices: { ...model.prices, output: 7 } }));
  const plan = computePlan({ models: models?.slice(1) }, LIVE);
  expect(plan.changes).toMatchObject([
    { op: 'delete', section: 'models', name: 'large' },
    { op: 'put', section: 'models', entry: { name: 'small', prices: { output: 7, output_audio: 7 } } },
  ]);
  expect(planText(plan)).toContain('- models large\n~ models small\n    /prices/output: 2 -> 7');
});

test('pools of another order are all put back in theirs', () => {
  const plan = computePlan({ pools: file().pools?.toReversed() }, LIVE);
  expect(plan.changes.map((change) => JSON.stringify(change).replace(/,"groups".*/, ''))).toEqual([
    ...['a', 'b', 'c'].map((name) => `{"op":"delete","section":"pools","name":"${name}"}`),
    ...['c', 'b', 'a'].map((name) => `{"op":"put","section":"pools","entry":{"name":"${name}"`),
  ]);
});

test('only a new credential sends its secret, unless all are to be sent', () => {
  const [east] = file().upstreams ?? [];
  const first = { name: 'first', weight: 1, limits: {}, secret_env: 'FIRST' };
  const second = { ...first, name: 'second', secret_env: 'SECOND' };
  const upstreams = east ? [{ ...east, credentials: [first, second] }] : [];
  const secretOf = (variable: string) => `secret of ${variable}`;
  const sent = (allSecrets: boolean) =>
    JSON.stringify(computePlan({ upstreams }, LIVE, { secretOf, allSecrets }).changes);
  expect(sent(false)).toContain('secret of SECOND');
  expect(sent(false)).not.toContain('secret of FIRST');
  expect(sent(true)).toContain('secret of FIRST');
  expect(computePlan({ upstreams }, LIVE).secrets).toEqual([
    { variable: 'SECOND', credential: 'east/second' },
  ]);
});

test.each<[string, RegExp]>([
  ['models:\n  - name: a\n', /^f:2:5: models\.0\.vendor: .*\nf:2:5: models\.0\.prices: /],
  ['groups:\n  - name: a\n    ratio: cheap\n    models: []\n', /^f:3:5: groups\.0\.ratio: a decimal/],
  ['modles: []\n', /^f:1:1: modles: there is no such field/],
  ['models: "many"\n', /^f:1:1: models: /],
  ['models:\n  - name: "a\n', /^f:\d+:\d+: /],
])('%j is refused with the line of each fault', (text, says) => {
  expect(() => parseYaml(text, 'f', fileSchema)).toThrow(says);
});
