import { toChatPaths } from '../chat-paths.ts';
import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/cohere/models',
  date: '2026-07-02',
};
const EMBED_SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/cohere.yml',
  date: '2026-08-21',
};
// Cohere's own page states no price of these; others tell what they pay.
const RERANK_SOURCE = {
  url: 'https://developer.puter.com/tutorials/cohere-api-pricing/',
  date: '2026-11-23',
};
const OLD_RERANK_SOURCE = {
  url: 'https://github.com/BerriAI/litellm/blob/00035b6/model_prices_and_context_window.json',
  date: '2026-11-23',
};
const NEW_SOURCE = {
  url: 'https://www.getmaxim.ai/bifrost/llm-cost-calculator/provider/cohere',
  date: '2026-11-23',
};

const NO_TOKENS = { input: 0, output: 0 };

export const cohere: Provider = {
  name: 'cohere',
  title: 'Cohere',
  base_url: 'https://api.cohere.com',
  protocols: ['openai-chat'],
  paths: toChatPaths('/compatibility/v1/chat/completions', '/v1/models?page_size=1000', {
    embed: '/v2/embed',
    rerank: '/v2/rerank',
  }),
  task_formats: { embed: 'cohere', rerank: 'cohere' },
  ways: [{ name: 'key', title: 'API key', env: 'COHERE_API_KEY' }],
  key_page: 'https://dashboard.cohere.com/api-keys',
  base_url_env: 'CO_API_URL',
  price_page: 'https://cohere.com/pricing',
  note: 'Prices of reranking are second-hand: Cohere’s own page states none per search.',
  models: [
    ...listModels(SOURCE, [
      toModel('command-a-plus-05-2026', 128_000, 64_000, { input: 2_500_000, output: 10_000_000 }),
      toModel('command-a-03-2025', 256_000, 8_000, { input: 2_500_000, output: 10_000_000 }),
      toModel('command-a-reasoning-08-2025', 256_000, 32_000, { input: 2_500_000, output: 10_000_000 }),
      toModel('command-a-vision-07-2025', 128_000, 8_000, { input: 2_500_000, output: 10_000_000 }),
      toModel('command-r-plus-08-2024', 128_000, 4_000, { input: 2_500_000, output: 10_000_000 }),
      toModel('command-r-08-2024', 128_000, 4_000, { input: 150_000, output: 600_000 }),
      toModel('command-r7b-12-2024', 128_000, 4_000, { input: 37_500, output: 150_000 }),
    ]),
    ...listModels(EMBED_SOURCE, [toModel('embed-v4.0', 128_000, null, { input: 120_000, output: 0 })]),
    ...listModels(NEW_SOURCE, [
      toModel('embed-v5.0-fast', 128_000, null, { input: 80_000, output: 0 }),
      toModel('rerank-v5.0-pro', 32_768, null, { input: 50_000, output: 0 }),
      toModel('rerank-v5.0-fast', 32_768, null, { input: 20_000, output: 0 }),
    ]),
    // A search is a query with up to a hundred documents.
    ...listModels(RERANK_SOURCE, [
      toModel('rerank-v4.0-pro', 32_768, null, NO_TOKENS, { unit_prices: { rerank_units: 2_500_000_000 } }),
      toModel('rerank-v4.0-fast', 32_768, null, NO_TOKENS, { unit_prices: { rerank_units: 2_000_000_000 } }),
    ]),
    ...listModels(OLD_RERANK_SOURCE, [
      toModel('rerank-v3.5', 4_096, null, NO_TOKENS, { unit_prices: { rerank_units: 2_000_000_000 } }),
    ]),
  ],
};
