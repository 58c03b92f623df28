import { VERTEX_FIELDS, VERTEX_HOST, VERTEX_WAYS } from './vertex-parts.ts';
import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/google-vertex/models',
  date: '2026-07-02',
};

export const vertex: Provider = {
  name: 'vertex',
  vendor: 'google',
  title: 'Google Vertex AI, Gemini',
  base_url: 'https://{host}/v1/projects/{project}/locations/{location}/publishers/google',
  fields: VERTEX_FIELDS,
  variables: { host: VERTEX_HOST },
  protocols: ['gemini'],
  paths: {
    gemini: {
      generate: '/models/{model}:generateContent',
      stream: '/models/{model}:streamGenerateContent?alt=sse',
      count: '/models/{model}:countTokens',
    },
  },
  ways: VERTEX_WAYS,
  key_page: 'https://console.cloud.google.com/iam-admin/serviceaccounts',
  price_page: 'https://cloud.google.com/vertex-ai/generative-ai/pricing',
  models: listModels(SOURCE, [
    toModel('gemini-3.5-flash', 1_048_576, 65_536, {
      input: 1_500_000,
      input_audio: 1_500_000,
      cache_read: 150_000,
      output: 9_000_000,
    }),
    toModel(
      'gemini-3.1-pro-preview',
      1_048_576,
      65_536,
      { input: 2_000_000, cache_read: 200_000, output: 12_000_000 },
      {
        tiers: [
          {
            above_input_tokens: 200_000,
            prices: { input: 4_000_000, cache_read: 400_000, output: 18_000_000 },
          },
        ],
      },
    ),
    toModel('gemini-3.1-flash-lite', 1_048_576, 65_536, {
      input: 250_000,
      input_audio: 500_000,
      cache_read: 25_000,
      output: 1_500_000,
    }),
    toModel('gemini-3-flash-preview', 1_048_576, 65_536, {
      input: 500_000,
      input_audio: 1_000_000,
      cache_read: 50_000,
      output: 3_000_000,
    }),
    toModel(
      'gemini-2.5-pro',
      1_048_576,
      65_536,
      { input: 1_250_000, cache_read: 125_000, output: 10_000_000 },
      {
        tiers: [
          {
            above_input_tokens: 200_000,
            prices: { input: 2_500_000, cache_read: 250_000, output: 15_000_000 },
          },
        ],
      },
    ),
    toModel('gemini-2.5-flash', 1_048_576, 65_536, {
      input: 300_000,
      cache_read: 75_000,
      cache_write: 383_000,
      output: 2_500_000,
    }),
    toModel('gemini-2.5-flash-lite', 1_048_576, 65_536, {
      input: 100_000,
      input_audio: 300_000,
      cache_read: 10_000,
      output: 400_000,
    }),
  ]),
};
