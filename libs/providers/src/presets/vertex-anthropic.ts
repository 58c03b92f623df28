import { VERTEX_FIELDS, VERTEX_HOST, VERTEX_WAYS } from './vertex-parts.ts';
import { offerModels } from '../offer-models.ts';
import type { Provider } from '../provider.ts';
import { anthropic } from './anthropic.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/anthropic.yml',
  date: '2026-08-21',
};
const OTHER_SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/google-vertex-anthropic/models',
  date: '2026-07-02',
};

export const vertexAnthropic: Provider = {
  name: 'vertex-anthropic',
  vendor: 'anthropic',
  title: 'Anthropic on Google Vertex AI',
  base_url: 'https://{host}/v1/projects/{project}/locations/{location}/publishers/anthropic',
  fields: VERTEX_FIELDS,
  model_lists: ['https://{host}/v1beta1/publishers/anthropic/models?pageSize=200'],
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
    ...offerModels(anthropic.models, SOURCE, {
      'claude-sonnet-5': { upstream_name: 'claude-sonnet-5@default' },
    }),
    ...offerModels(anthropic.models, OTHER_SOURCE, {
      'claude-opus-4-8': {
        upstream_name: 'claude-opus-4-8@default',
        tiers: [
          {
            above_input_tokens: 200_000,
            prices: { input: 10_000_000, cache_read: 1_000_000, cache_write: 12_500_000, output: 37_500_000 },
          },
        ],
      },
      'claude-opus-4-7': {
        upstream_name: 'claude-opus-4-7@default',
        tiers: [
          {
            above_input_tokens: 200_000,
            prices: { input: 10_000_000, cache_read: 1_000_000, cache_write: 12_500_000, output: 37_500_000 },
          },
        ],
      },
      'claude-opus-4-6': {
        upstream_name: 'claude-opus-4-6@default',
        tiers: [
          {
            above_input_tokens: 200_000,
            prices: { input: 10_000_000, cache_read: 1_000_000, cache_write: 12_500_000, output: 37_500_000 },
          },
        ],
      },
      'claude-sonnet-4-6': {
        upstream_name: 'claude-sonnet-4-6@default',
        max_output_tokens: 128_000,
        tiers: [
          {
            above_input_tokens: 200_000,
            prices: { input: 6_000_000, cache_read: 600_000, cache_write: 7_500_000, output: 22_500_000 },
          },
        ],
      },
      'claude-haiku-4-5': { upstream_name: 'claude-haiku-4-5@20251001' },
      'claude-sonnet-4-5': { upstream_name: 'claude-sonnet-4-5@20250929', tiers: [] },
    }),
  ],
};
