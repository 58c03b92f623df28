import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

// Jina says prices to those alone who are logged in; these are what others tell of them.
const EMBED_SOURCE = {
  url: 'https://pecollective.com/tools/text-embedding-models-compared/',
  date: '2026-11-23',
};
const V4_SOURCE = { url: 'https://aitot.net/en/blog/embeddings-pricing-comparison-2026', date: '2026-11-23' };
const RERANK_SOURCE = {
  url: 'https://github.com/BerriAI/litellm/blob/00035b6/model_prices_and_context_window.json',
  date: '2026-11-23',
};

/** It embeds and ranks; `jinaDeepsearch` answers in conversations, at another address. */
export const jina: Provider = {
  name: 'jina',
  title: 'Jina',
  base_url: 'https://api.jina.ai',
  protocols: ['openai-chat'],
  paths: { 'openai-chat': { models: '/v1/models', embed: '/v1/embeddings', rerank: '/v1/rerank' } },
  ways: [{ name: 'key', title: 'API key', env: 'JINA_API_KEY' }],
  key_page: 'https://jina.ai/api-dashboard',
  price_page: 'https://jina.ai/embeddings/',
  note: 'Jina sells tokens in packs, so that a million costs what yours did: the prices here are second-hand.',
  models: [
    ...listModels(EMBED_SOURCE, [toModel('jina-embeddings-v3', 8_192, null, { input: 20_000, output: 0 })]),
    ...listModels(V4_SOURCE, [toModel('jina-embeddings-v4', 32_768, null, { input: 18_000, output: 0 })]),
    ...listModels(RERANK_SOURCE, [
      toModel('jina-reranker-v2-base-multilingual', 1_024, null, { input: 18_000, output: 0 }),
    ]),
  ],
};

export const jinaDeepsearch: Provider = {
  name: 'jina-deepsearch',
  vendor: 'jina',
  title: 'Jina DeepSearch',
  base_url: 'https://deepsearch.jina.ai/v1',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key' }],
  key_page: 'https://jina.ai/api-dashboard',
  price_page: 'https://jina.ai/deepsearch/',
  models: [],
};
