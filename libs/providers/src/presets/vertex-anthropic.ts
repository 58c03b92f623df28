import { VERTEX_FIELDS, VERTEX_HOST, VERTEX_WAYS } from './vertex-parts.ts';
import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/anthropic.yml',
  date: '2026-08-21',
};
const OLDER_SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/google-vertex-anthropic/models',
  date: '2026-07-02',
};

export const vertexAnthropic: Provider = {
  name: 'vertex-anthropic',
  vendor: 'anthropic',
  title: 'Anthropic on Google Vertex AI',
  base_url: 'https://{host}/v1/projects/{project}/locations/{location}/publishers/anthropic',
  fields: VERTEX_FIELDS,
  variables: { host: VERTEX_HOST },
  protocols: ['anthropic-messages'],
  wrapping: { 'anthropic-messages': 'vertex' },
  paths: {
    'anthropic-messages': {
      generate: '/models/{model}:rawPredict',
      stream: '/models/{model}:streamRawPredict',
      count: '/models/count-tokens:rawPredict',
    },
  },
  ways: VERTEX_WAYS,
  key_page: 'https://console.cloud.google.com/iam-admin/serviceaccounts',
  price_page: 'https://cloud.google.com/vertex-ai/generative-ai/pricing',
  models: [
    ...listModels(SOURCE, [
      toModel(
        'claude-sonnet-5',
        null,
        128_000,
        {
          input: 3_000_000,
          cache_read: 300_000,
          cache_write: 3_750_000,
          cache_write_1h: 6_000_000,
          output: 15_000_000,
        },
        { upstream_name: 'claude-sonnet-5@default' },
      ),
    ]),
    ...listModels(OLDER_SOURCE, [
      toModel(
        'claude-opus-4-8',
        1_000_000,
        128_000,
        { input: 5_000_000, cache_read: 500_000, cache_write: 6_250_000, output: 25_000_000 },
        {
          upstream_name: 'claude-opus-4-8@default',
          tiers: [
            {
              above_input_tokens: 200_000,
              prices: {
                input: 10_000_000,
                cache_read: 1_000_000,
                cache_write: 12_500_000,
                output: 37_500_000,
              },
            },
          ],
        },
      ),
      toModel(
        'claude-opus-4-7',
        1_000_000,
        128_000,
        { input: 5_000_000, cache_read: 500_000, cache_write: 6_250_000, output: 25_000_000 },
        {
          upstream_name: 'claude-opus-4-7@default',
          tiers: [
            {
              above_input_tokens: 200_000,
              prices: {
                input: 10_000_000,
                cache_read: 1_000_000,
                cache_write: 12_500_000,
                output: 37_500_000,
              },
            },
          ],
        },
      ),
      toModel(
        'claude-opus-4-6',
        1_000_000,
        128_000,
        { input: 5_000_000, cache_read: 500_000, cache_write: 6_250_000, output: 25_000_000 },
        {
          upstream_name: 'claude-opus-4-6@default',
          tiers: [
            {
              above_input_tokens: 200_000,
              prices: {
                input: 10_000_000,
                cache_read: 1_000_000,
                cache_write: 12_500_000,
                output: 37_500_000,
              },
            },
          ],
        },
      ),
      toModel(
        'claude-sonnet-4-6',
        null,
        128_000,
        { input: 3_000_000, cache_read: 300_000, cache_write: 3_750_000, output: 15_000_000 },
        {
          upstream_name: 'claude-sonnet-4-6@default',
          tiers: [
            {
              above_input_tokens: 200_000,
              prices: { input: 6_000_000, cache_read: 600_000, cache_write: 7_500_000, output: 22_500_000 },
            },
          ],
        },
      ),
      toModel(
        'claude-haiku-4-5',
        200_000,
        64_000,
        { input: 1_000_000, cache_read: 100_000, cache_write: 1_250_000, output: 5_000_000 },
        { upstream_name: 'claude-haiku-4-5@20251001' },
      ),
      toModel(
        'claude-sonnet-4-5',
        200_000,
        64_000,
        { input: 3_000_000, cache_read: 300_000, cache_write: 3_750_000, output: 15_000_000 },
        { upstream_name: 'claude-sonnet-4-5@20250929' },
      ),
    ]),
  ],
};
