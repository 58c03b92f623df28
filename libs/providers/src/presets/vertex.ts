import { VERTEX_FIELDS, VERTEX_HOST, VERTEX_WAYS } from './vertex-parts.ts';
import { offerModels } from '../offer-models.ts';
import type { Provider } from '../provider.ts';
import { gemini } from './gemini.ts';

/** A later state of the same list. */
const OF_PICTURES = {
  url: 'https://github.com/anomalyco/models.dev/tree/1e6c2d8/providers/google-vertex/models',
  date: '2026-11-24',
};
const OF_EMBEDDINGS = {
  url: 'https://github.com/braintrustdata/braintrust-proxy/pull/1010',
  date: '2026-07-22',
};
const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/google-vertex/models',
  date: '2026-07-02',
};

/** Imagen is not among them: Google shut all of its models down on Vertex on 30 June 2026. */
export const vertex: Provider = {
  name: 'vertex',
  vendor: 'google',
  title: 'Google Vertex AI, Gemini',
  base_url: 'https://{host}/v1/projects/{project}/locations/{location}/publishers/google',
  fields: VERTEX_FIELDS,
  model_lists: ['https://{host}/v1beta1/publishers/google/models?pageSize=200'],
  variables: { host: VERTEX_HOST },
  protocols: ['gemini'],
  paths: {
    gemini: {
      generate: '/models/{model}:generateContent',
      stream: '/models/{model}:streamGenerateContent?alt=sse',
      count: '/models/{model}:countTokens',
      draw: '/models/{model}:generateContent',
    },
  },
  task_formats: { embed: 'vertex' },
  ways: VERTEX_WAYS,
  key_page: 'https://console.cloud.google.com/iam-admin/serviceaccounts',
  price_page: 'https://cloud.google.com/vertex-ai/generative-ai/pricing',
  models: [
    ...offerModels(gemini.models, SOURCE, {
      'gemini-3.5-flash': {},
      'gemini-3.1-pro-preview': {},
      'gemini-3.1-flash-lite': {},
      'gemini-3-flash-preview': {},
      'gemini-2.5-pro': {},
      'gemini-2.5-flash': {
        prices: { input: 300_000, cache_read: 75_000, cache_write: 383_000, output: 2_500_000 },
      },
      'gemini-2.5-flash-lite': {},
    }),
    ...offerModels(gemini.models, OF_PICTURES, { 'gemini-3.1-flash-image': {}, 'gemini-3-pro-image': {} }),
    ...offerModels(gemini.models, OF_EMBEDDINGS, { 'gemini-embedding-2': {}, 'gemini-embedding-001': {} }),
  ],
};
