import { completePriceList, type Model, modelSchema } from '@tollgate/catalogue';
import { planPriceFeed } from './plan-price-feed.ts';
import { PriceFeedError, readPriceFeed, toMicroPerMillion } from './price-feed.ts';

test.each([
  ['1.5e-07', 150_000],
  ['0.00000015', 150_000],
  ['2.5E-6', 2_500_000],
  ['3e-05', 30_000_000],
  ['0', 0],
  ['0.0', 0],
  ['1e-12', 1],
  // As binary floating point, 0.1 + 0.2 of something: the text is what counts.
  ['8.333e-08', 83_330],
])('%s USD per token is %i micro-USD per million tokens', (text, micro) => {
  expect(toMicroPerMillion(text)).toBe(micro);
});

test.each(['1e-13', '1.2345678e-7', '-1', 'free', '', '1e9', '0x1', 'NaN'])('"%s" is refused', (text) => {
  expect(() => toMicroPerMillion(text)).toThrow(RangeError);
});

const LITELLM = `{
  "sample_spec": {"input_cost_per_token": 0.0},
  "gpt-4o": {"input_cost_per_token": 2.5e-06, "output_cost_per_token": 1e-05, "cache_read_input_token_cost": 1.25e-06,
    "max_input_tokens": 128000, "max_output_tokens": 16384, "litellm_provider": "openai", "mode": "chat"},
  "gemini/gemini-2.5-pro": {"input_cost_per_token": 1.25e-06, "output_cost_per_token": 1e-05,
    "input_cost_per_token_above_200k_tokens": 2.5e-06, "output_cost_per_token_above_200k_tokens": 1.5e-05},
  "openai/gpt-new": {"input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06},
  "dall-e-3": {"input_cost_per_pixel": 1e-08},
  "fine": {"input_cost_per_token": 1.23456789012e-07, "output_cost_per_token": 1e-06}
}`;

test("LiteLLM's map is read to the last digit, with prices of long contexts", () => {
  const { shape, models, skipped } = readPriceFeed(LITELLM);
  expect(shape).toBe('litellm');
  expect(models.map(({ name }) => name)).toEqual([
    'gpt-4o',
    'gemini/gemini-2.5-pro',
    'openai/gpt-new',
    'fine',
  ]);
  expect(models[0]).toEqual({
    name: 'gpt-4o',
    vendor: 'openai',
    operation: 'generate',
    terms: { prices: { input: 2_500_000, cache_read: 1_250_000, output: 10_000_000 }, tiers: [] },
    context_window: 128_000,
    max_output_tokens: 16_384,
    notes: [],
  });
  expect(models[1]?.terms.tiers).toEqual([
    { above_input_tokens: 200_000, prices: { input: 2_500_000, output: 15_000_000 } },
  ]);
  expect(models[3]?.notes).toEqual([
    'model fine: its input_cost_per_token is rounded to a micro-USD for a million',
  ]);
  expect(skipped).toEqual([]);
});

const WITH_UNITS = `{
  "openai/gpt-search": {"input_cost_per_token": 2e-06, "output_cost_per_token": 8e-06, "mode": "chat",
    "input_cost_per_token_priority": 3.5e-06, "output_cost_per_token_priority": 1.4e-05,
    "input_cost_per_token_flex": 1e-06, "output_cost_per_token_flex": 4e-06,
    "search_context_cost_per_query": {"search_context_size_low": 0.01, "search_context_size_high": 0.025},
    "file_search_cost_per_1k_calls": 2.5, "provider_specific_entry": {"us": 1.1}, "input_cost_per_pixel": 1e-08},
  "text-embedding-3-small": {"input_cost_per_token": 2e-08, "output_cost_per_token": 0.0, "mode": "embedding",
    "litellm_provider": "openai"},
  "cohere/rerank-v9": {"input_cost_per_query": 0.002, "mode": "rerank"},
  "gpt-image-9": {"input_cost_per_token": 5e-06, "output_cost_per_image_token": 3e-05, "mode": "image_generation"},
  "painter": {"output_cost_per_image": 0.04, "mode": "image_generation"},
  "given-away": {"input_cost_per_token": 1e-06, "mode": "image_generation"},
  "written": {"input_cost_per_token": 1e-06, "mode": "completion"},
  "filmed": {"input_cost_per_token": 1e-06, "output_cost_per_token": 1e-06, "mode": "video_generation"}
}`;

test('units, tiers, regions and what a model is for are read as an import of LiteLLM reads them', () => {
  const { models } = readPriceFeed(WITH_UNITS);
  expect(models.map(({ name, operation }) => [name, operation])).toEqual([
    ['openai/gpt-search', 'generate'],
    ['text-embedding-3-small', 'embed'],
    ['cohere/rerank-v9', 'rerank'],
    ['gpt-image-9', 'draw'],
    ['painter', 'draw'],
  ]);
  expect(models[0]).toMatchObject({
    terms: {
      prices: { input: 2_000_000, output: 8_000_000 },
      unit_prices: { searches: 25_000_000_000, file_searches: 2_500_000_000 },
      service_tiers: { priority: '1.75', flex: '0.5' },
      regions: { us: '1.1' },
      features: { web_search: 'priced', service_tier: 'priced', inference_geo: 'priced' },
    },
    notes: [expect.stringMatching(/highest holds/), expect.stringMatching(/input_cost_per_pixel$/)],
  });
  expect(models[2]?.terms).toMatchObject({
    prices: { input: 0, output: 0 },
    unit_prices: { rerank_units: 2_000_000_000 },
  });
  expect(models[3]?.terms.prices).toMatchObject({ input: 5_000_000, output: 0, output_image: 30_000_000 });
  expect(models[4]?.terms).toMatchObject({
    prices: { input: 0, output: 0 },
    unit_prices: { images: 40_000_000_000 },
  });
});

test('of units and ratios a plan changes those that are sold, and begins to sell nothing but with new models', () => {
  const held = modelSchema.parse({
    ...completePriceList({ prices: { input: 2_000_000, output: 8_000_000 }, tiers: [] }),
    name: 'gpt-search',
    vendor: 'openai',
    unit_prices: { searches: 10_000_000_000, fetches: 7 },
    service_tiers: { priority: '2' },
  });
  const plan = (models: readonly Model[]) =>
    planPriceFeed({ models, vendors, pools: [] }, readPriceFeed(WITH_UNITS), SOURCE);
  const { changed, lacking, notes } = plan([held]);
  expect(changed).toMatchObject([
    { unit_prices: { searches: 25_000_000_000, fetches: 7 }, service_tiers: { priority: '1.75' } },
  ]);
  for (const field of ['regions', 'features']) expect(changed[0]).not.toHaveProperty(field);
  expect(notes).toHaveLength(2);
  expect(lacking).toEqual([
    expect.objectContaining({ name: 'text-embedding-3-small', operations: ['embed'], vendor: 'openai' }),
  ]);
  const priced = modelSchema.parse(changed[0]);
  expect(plan([priced])).toMatchObject({ changed: [], same: 1 });
});

test("OpenRouter's list is read; what it says is free of charge apart is not a price of zero", () => {
  const { shape, models, skipped } = readPriceFeed(`{"data":[
    {"id":"openai/gpt-4o","context_length":128000,"top_provider":{"max_completion_tokens":16384},
     "pricing":{"prompt":"0.0000025","completion":"0.00001","input_cache_read":"0.00000125","internal_reasoning":"0","image":"0","request":"0.005","web_search":"0.01"}},
    {"id":"openrouter/auto","pricing":{"prompt":"-1","completion":"-1"}}]}`);
  expect(shape).toBe('openrouter');
  expect(models).toEqual([
    {
      name: 'openai/gpt-4o',
      vendor: 'openai',
      operation: 'generate',
      terms: {
        prices: { input: 2_500_000, cache_read: 1_250_000, output: 10_000_000 },
        request_price: 5_000,
        unit_prices: { searches: 10_000_000_000 },
        features: { web_search: 'priced' },
      },
      context_window: 128_000,
      max_output_tokens: 16_384,
      notes: [],
    },
  ]);
  expect(skipped).toEqual(['openrouter/auto: "-1" is no price']);
});

test.each(['', '[]', '{}', '{"a":1}', '{"data":[]}', 'not json'])('%j is no price file', (text) => {
  expect(() => readPriceFeed(text)).toThrow(PriceFeedError);
});

const model = (name: string, input: number, vendor = 'openai') =>
  modelSchema.parse({
    ...completePriceList({ prices: { input, cache_read: 1_250_000, output: 10_000_000 }, tiers: [] }),
    name,
    vendor,
    description: 'ours',
  });

const SOURCE = { source: 'https://example.com/prices.json', date: '2026-11-23' };
const vendors = [{ name: 'openai' }, { name: 'google' }];

test('a plan changes prices of models that the catalogue has, and nothing else', () => {
  const models = [model('gpt-4o', 3_000_000), model('own', 1), model('gemini-2.5-pro', 1, 'google')];
  const plan = planPriceFeed({ models, vendors, pools: [] }, readPriceFeed(LITELLM), SOURCE);
  expect(plan.changed.map(({ name, prices }) => [name, prices.input])).toEqual([
    ['gpt-4o', 2_500_000],
    ['gemini-2.5-pro', 1_250_000],
  ]);
  expect(plan.changed[0]).toMatchObject({ vendor: 'openai', description: 'ours', price_source: SOURCE });
  expect(plan).toMatchObject({ same: 0, unknown: ['own'] });
  expect(plan.lacking).toMatchObject([{ name: 'gpt-new', vendor: 'openai', price_source: SOURCE }]);
  const again = { models: [model('gpt-4o', 2_500_000)], vendors, pools: [] };
  expect(planPriceFeed(again, readPriceFeed(LITELLM), SOURCE)).toMatchObject({ changed: [], same: 1 });
});

test('a plan finds a model by what an upstream calls it', () => {
  const pools = [{ members: [{ model_map: { ours: 'gpt-4o' } }] }];
  const plan = planPriceFeed({ models: [model('ours', 1)], vendors, pools }, readPriceFeed(LITELLM), SOURCE);
  expect(plan.changed.map(({ name }) => name)).toEqual(['ours']);
});

const OPENROUTER = '{"data":[{"id":"openai/gpt-4o","pricing":{"prompt":"0.000003","completion":"0.00001"}}]}';

test('what a file does not speak of stays as it is', () => {
  const prices = { input: 2_500_000, cache_read: 1_250_000, output: 10_000_000, output_audio: 80_000_000 };
  const long = { above_input_tokens: 200_000, prices: { input: 5_000_000, output: 20_000_000 } };
  const held = modelSchema.parse({
    ...completePriceList({ prices, tiers: [long] }),
    name: 'gpt-4o',
    vendor: 'openai',
    unit_prices: { searches: 10_000_000_000 },
  });
  const plan = planPriceFeed({ models: [held], vendors, pools: [] }, readPriceFeed(OPENROUTER), SOURCE);
  const [changed] = plan.changed.map((entry) => modelSchema.parse({ ...entry, ...completePriceList(entry) }));
  expect(changed).toEqual({
    ...held,
    prices: completePriceList({ prices: { ...prices, input: 3_000_000 }, tiers: [] }).prices,
    price_source: SOURCE,
  });
});

test('what every object inherits is no mode, no vendor and no region of a price file', () => {
  const priced = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };
  const { models } = readPriceFeed(
    JSON.stringify({
      a: { ...priced, mode: 'constructor' },
      b: { ...priced, litellm_provider: 'constructor', provider_specific_entry: { constructor: 1.1 } },
    }),
  );
  expect(models.map(({ name }) => name)).toEqual(['b']);
  const known = modelSchema.parse({
    name: 'b',
    vendor: 'v',
    prices: { input: 1, output: 1 },
    regions: { eu: '1.1' },
  });
  const catalogue = { models: [known], vendors: [{ name: 'constructor' }], pools: [] };
  const source = { source: 's', date: '2026-11-28' };
  const { changed } = planPriceFeed(
    catalogue,
    { shape: 'litellm', source: 's', models, skipped: [] },
    source,
  );
  expect(changed[0]?.regions).toEqual({ eu: '1.1' });
  const { lacking } = planPriceFeed(
    { ...catalogue, models: [] },
    { shape: 'litellm', source: 's', models, skipped: [] },
    source,
  );
  expect(lacking.map(({ vendor }) => vendor)).toEqual(['constructor']);
});
