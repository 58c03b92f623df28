import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/anthropic.yml',
  date: '2026-08-21',
};

export const anthropic: Provider = {
  name: 'anthropic',
  title: 'Anthropic',
  base_url: 'https://api.anthropic.com',
  protocols: ['anthropic-messages'],
  ways: [{ name: 'key', title: 'API key', env: 'ANTHROPIC_API_KEY' }],
  key_page: 'https://console.anthropic.com/settings/keys',
  base_url_env: 'ANTHROPIC_BASE_URL',
  price_page: 'https://www.anthropic.com/pricing#api',
  model_defaults: {
    unit_prices: { searches: 10_000_000_000 },
    features: { web_search: 'priced', web_fetch: 'free' },
  },
  models: listModels(SOURCE, [
    toModel('claude-opus-5', 1_000_000, null, {
      input: 5_000_000,
      cache_read: 500_000,
      cache_write: 6_250_000,
      cache_write_1h: 10_000_000,
      output: 25_000_000,
    }),
    toModel('claude-sonnet-5', 1_000_000, 128_000, {
      input: 3_000_000,
      cache_read: 300_000,
      cache_write: 3_750_000,
      cache_write_1h: 6_000_000,
      output: 15_000_000,
    }),
    toModel('claude-fable-5', 1_000_000, 128_000, {
      input: 10_000_000,
      cache_read: 1_000_000,
      cache_write: 12_500_000,
      cache_write_1h: 20_000_000,
      output: 50_000_000,
    }),
    toModel('claude-opus-4-8', 1_000_000, 128_000, {
      input: 5_000_000,
      cache_read: 500_000,
      cache_write: 6_250_000,
      cache_write_1h: 10_000_000,
      output: 25_000_000,
    }),
    toModel('claude-opus-4-7', 1_000_000, 128_000, {
      input: 5_000_000,
      cache_read: 500_000,
      cache_write: 6_250_000,
      cache_write_1h: 10_000_000,
      output: 25_000_000,
    }),
    toModel('claude-opus-4-6', 1_000_000, 128_000, {
      input: 5_000_000,
      cache_read: 500_000,
      cache_write: 6_250_000,
      cache_write_1h: 10_000_000,
      output: 25_000_000,
    }),
    toModel('claude-sonnet-4-6', 1_000_000, 64_000, {
      input: 3_000_000,
      cache_read: 300_000,
      cache_write: 3_750_000,
      cache_write_1h: 6_000_000,
      output: 15_000_000,
    }),
    toModel('claude-haiku-4-5', 200_000, 64_000, {
      input: 1_000_000,
      cache_read: 100_000,
      cache_write: 1_250_000,
      cache_write_1h: 2_000_000,
      output: 5_000_000,
    }),
    toModel('claude-opus-4-5', 200_000, 64_000, {
      input: 5_000_000,
      cache_read: 500_000,
      cache_write: 6_250_000,
      cache_write_1h: 10_000_000,
      output: 25_000_000,
    }),
    toModel(
      'claude-sonnet-4-5',
      200_000,
      64_000,
      {
        input: 3_000_000,
        cache_read: 300_000,
        cache_write: 3_750_000,
        cache_write_1h: 6_000_000,
        output: 15_000_000,
      },
      {
        tiers: [
          {
            above_input_tokens: 200_000,
            prices: {
              input: 6_000_000,
              cache_read: 600_000,
              cache_write: 7_500_000,
              cache_write_1h: 12_000_000,
              output: 22_500_000,
            },
          },
        ],
      },
    ),
    toModel('claude-opus-4-1', 200_000, 32_000, {
      input: 15_000_000,
      cache_read: 1_500_000,
      cache_write: 18_750_000,
      cache_write_1h: 30_000_000,
      output: 75_000_000,
    }),
  ]),
};
