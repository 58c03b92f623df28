import type { Model } from '../../api/catalogue.ts';
import { modelFaults, toModelForm, toModel } from './model-form.ts';

const model: Model = {
  name: 'acme-large',
  vendor: 'acme',
  description: 'Talks much',
  tags: ['chat'],
  operations: ['embed', 'rerank'],
  prices: { input: 3_000_000, cache_read: 300_000, output: 15_000_000 },
  tiers: [{ above_input_tokens: 200_000, prices: { input: 6_000_000, output: 22_500_000 } }],
  request_price: 1_500,
  context_window: 1_000_000,
  max_output_tokens: null,
  limits: { requests_per_minute: 60 },
  unit_prices: { searches: 10_000_000_000, audio_milliseconds: 100_000, pages: 0 },
  service_tiers: { priority: '2', flex: '0.5' },
  regions: { us: '1.1', 'eu-west': '1.15' },
  features: { web_search: 'priced', inference_geo: 'priced', service_tier: 'free', speed: 'unpriced' },
  image_models: ['drawing', 'acme-large'],
  price_source: { source: 'https://acme.example/prices', date: '2026-11-01' },
  dialect: { sampling: 'none', user_max: 128 },
};

test('a model comes out of its form as it went in', () => {
  expect(toModel(toModelForm(model, 'other'))).toEqual(model);
});

test('what a model says and no field shows is not lost', () => {
  const more = { ...model, of_tomorrow: ['x'] };
  expect(toModel(toModelForm(more, 'other'))).toEqual(more);
});

test('a source is that of its prices: it goes with them, and stays beside other changes', () => {
  const form = toModelForm(model, 'other');
  expect(toModel({ ...form, description: 'Says more' }).price_source).toEqual(model.price_source);
  expect(toModel({ ...form, requestPrice: '1' }).price_source).toBeUndefined();
});

test('a model that is suggested begins with what is known of it', () => {
  const { description: _none, limits: _too, ...known } = model;
  const form = toModelForm(undefined, 'other', known);
  expect(form.isNew).toBe(true);
  expect(toModel(form)).toEqual({ ...model, description: '', limits: {} });
});

test('a new model belongs to the first vendor and needs a name, two prices and its longest output', () => {
  const form = toModelForm(undefined, 'acme');
  expect(form.vendor).toBe('acme');
  expect(modelFaults(form, new Set())).toEqual({
    name: 'nameRequired',
    maxOutput: 'outputRequired',
    'prices.input': 'priceRequired',
    'prices.output': 'priceRequired',
  });
});

test('what a model is for can be changed, and goes without saying where it is conversations', () => {
  const form = toModelForm(model, 'other');
  expect(form.operations).toEqual(['embed', 'rerank']);
  expect(toModel({ ...form, operations: ['generate', 'moderate'] })).toEqual({
    ...model,
    operations: ['generate', 'moderate'],
  });
  const { operations: _none, ...conversations } = model;
  expect(toModel({ ...form, operations: [] })).toEqual(conversations);
  expect(toModel(toModelForm(conversations, 'other'))).toEqual(conversations);
});

test.each([
  [[], true],
  [['embed'], false],
  [['generate', 'embed'], true],
] as const)('a new model for %j needs its longest output: %s', (operations, isNeeded) => {
  const faults = modelFaults({ ...toModelForm(undefined, 'acme'), operations }, new Set());
  expect('maxOutput' in faults).toBe(isNeeded);
});

test('faults are told where they are', () => {
  const form = toModelForm(model, '');
  const [tier] = form.tiers;
  if (!tier) throw new Error('the model has a tier');
  const wrong = {
    ...form,
    requestPrice: 'free',
    tiers: [tier, { ...tier, above: 1 }, { above: '', prices: { ...tier.prices, output: '-1' } }],
  };
  expect(modelFaults(wrong, new Set(['acme-large']))).toEqual({
    name: 'nameTaken',
    requestPrice: 'priceRequired',
    'tiers.1.above': 'tierOrder',
    'tiers.2.above': 'tokensRequired',
    'tiers.2.prices.output': 'priceRequired',
  });
});

test.each(['{"sampling"', '["none"]', 'null', '"none"'])('%s is no dialect', (dialect) => {
  expect(modelFaults({ ...toModelForm(model, ''), dialect }, new Set())).toEqual({
    dialect: 'dialectRequired',
  });
});

test('a dialect that is taken away or says nothing is not there any more', () => {
  for (const dialect of ['', ' ', '{}'])
    expect(toModel({ ...toModelForm(model, ''), dialect })).not.toHaveProperty('dialect');
});
