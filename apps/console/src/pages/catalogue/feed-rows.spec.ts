import { completePrices } from '@tollgate/catalogue/complete-prices';
import type { Catalogue, Model } from '../../api/catalogue.ts';
import { compareFeed, toPercent, withRows } from './feed-rows.ts';

const model = (name: string, input: number): Model => ({
  name,
  vendor: 'openai',
  description: 'ours',
  tags: [],
  prices: completePrices({ input, output: 10_000_000 }),
  tiers: [],
  request_price: 0,
  context_window: null,
  max_output_tokens: null,
  limits: {},
  unit_prices: { searches: 10_000_000_000 },
});
const live = {
  models: [model('gpt-4o', 2_000_000), model('same', 1_000_000), model('own', 1)],
  vendors: [{ name: 'openai', description: '', icon: '' }],
  pools: [],
} as unknown as Catalogue;
const text = `{
  "gpt-4o": {"input_cost_per_token": 2.5e-06, "output_cost_per_token": 1e-05, "litellm_provider": "openai"},
  "same": {"input_cost_per_token": 1e-06, "output_cost_per_token": 1e-05},
  "gpt-new": {"input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06, "litellm_provider": "openai"},
  "elsewhere": {"input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06, "litellm_provider": "other"}
}`;
const stated = { source: '', date: '2026-11-23' };

test('a price file is told as what changes, what is new, what stays and what it does not know', () => {
  const { rows, ...rest } = compareFeed(text, live, [], stated);
  expect(rows.map(({ name, isNew, input }) => [name, isNew, input.from, input.to])).toEqual([
    ['gpt-4o', false, 2_000_000, 2_500_000],
    ['gpt-new', true, undefined, 1_000_000],
  ]);
  expect(rest).toMatchObject({ unchanged: 1, unknown: ['own'], skipped: [] });
});

test('rows that are picked go into a draft with their source, and keep what the file does not speak of', () => {
  const [row] = compareFeed(text, live, [], { ...stated, source: 'mine.json' }).rows;
  const changes = withRows([], row ? [row] : []);
  expect(changes).toMatchObject([
    {
      op: 'put',
      entry: {
        name: 'gpt-4o',
        description: 'ours',
        prices: { input: 2_500_000, output: 10_000_000 },
        unit_prices: { searches: 10_000_000_000 },
        price_source: { source: 'mine.json', date: '2026-11-23' },
      },
    },
  ]);
  // What a draft says already is what the file is compared with.
  expect(compareFeed(text, live, changes, stated).rows.map(({ name }) => name)).toEqual(['gpt-new']);
});

test.each([
  [{ from: 2_000_000, to: 2_500_000 }, '+25%'],
  [{ from: 3, to: 2 }, '−33.3%'],
  [{ from: 2, to: 2 }, undefined],
  [{ from: undefined, to: 2 }, undefined],
  [{ from: 0, to: 2 }, undefined],
])('%p is a change of %p', (price, percent) => {
  expect(toPercent(price)).toBe(percent);
});
