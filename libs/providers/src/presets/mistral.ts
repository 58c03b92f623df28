import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/mistral.yml',
  date: '2026-08-21',
};
const OTHER_SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/mistral/models',
  date: '2026-07-02',
};

export const mistral: Provider = {
  name: 'mistral',
  title: 'Mistral',
  base_url: 'https://api.mistral.ai/v1',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key', env: 'MISTRAL_API_KEY' }],
  key_page: 'https://console.mistral.ai/api-keys',
  price_page: 'https://mistral.ai/pricing',
  quirks: [
    {
      format: 'openai-chat',
      takes: {
        limit_field: 'max_tokens',
        reasoning_echo: false,
        refused_fields: ['user', 'seed', 'store', 'logit_bias', 'logprobs', 'top_logprobs', 'service_tier'],
      },
      source: 'editor-code-assistant/eca#231, Vali-98/ChatterUI#143, danny-avila/LibreChat#1538',
    },
  ],
  models: [
    ...listModels(SOURCE, [
      toModel('mistral-large-2512', 262_144, 262_144, {
        input: 500_000,
        cache_read: 50_000,
        output: 1_500_000,
      }),
      toModel('mistral-small-2603', 256_000, 256_000, {
        input: 150_000,
        cache_read: 15_000,
        output: 600_000,
      }),
      toModel('devstral-2512', 262_144, 262_144, { input: 400_000, cache_read: 40_000, output: 2_000_000 }),
    ]),
    ...listModels(OTHER_SOURCE, [
      toModel('mistral-medium-2604', 262_144, 262_144, { input: 1_500_000, output: 7_500_000 }),
      toModel('mistral-medium-2508', 262_144, 262_144, { input: 400_000, output: 2_000_000 }),
      toModel('magistral-medium-latest', 128_000, 16_384, { input: 2_000_000, output: 5_000_000 }),
      toModel('codestral-latest', 256_000, 4_096, { input: 300_000, output: 900_000 }),
      toModel('ministral-8b-latest', 128_000, 128_000, { input: 100_000, output: 100_000 }),
      toModel('ministral-3b-latest', 128_000, 128_000, { input: 40_000, output: 40_000 }),
      toModel('mistral-embed', 8_000, null, { input: 100_000, output: 0 }),
    ]),
  ],
};
