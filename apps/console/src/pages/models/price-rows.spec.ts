import { freeFeatures, shownKinds, shownUnits } from './price-rows.ts';

const plain = {
  input: 3,
  input_audio: 3,
  input_image: 3,
  cache_read: 3,
  cache_write: 3,
  cache_write_1h: 3,
  output: 15,
  output_reasoning: 15,
  output_audio: 15,
  output_image: 15,
};

test.each([
  ['nothing but input and output', {}, [], ['input', 'cache_read', 'output']],
  ['cheap cache reads', { cache_read: 1 }, [], ['input', 'cache_read', 'output']],
  ['dear audio', { input_audio: 9 }, [], ['input', 'input_audio', 'cache_read', 'output']],
  [
    'one price for every write',
    { cache_write: 4, cache_write_1h: 4 },
    [],
    ['input', 'cache_read', 'cache_write', 'output'],
  ],
  [
    'audio that is dearer in a tier only',
    {},
    [{ above_input_tokens: 5, prices: { ...plain, output_audio: 99 } }],
    ['input', 'cache_read', 'output', 'output_audio'],
  ],
])('a model with %s shows the kinds that tell something', (_what, own, tiers, kinds) => {
  expect(shownKinds({ prices: { ...plain, ...own }, tiers })).toEqual(kinds);
});

test('units with a price and features that are given away are told in the order of the vocabulary', () => {
  const unit_prices = { container_sessions: 30_000_000_000, searches: 0 };
  expect(shownUnits({ unit_prices })).toEqual(['searches', 'container_sessions']);
  const features = { speed: 'free', web_search: 'free', mcp: 'unpriced', web_fetch: 'priced' } as const;
  expect(freeFeatures({ features })).toEqual(['web_search', 'speed']);
});
