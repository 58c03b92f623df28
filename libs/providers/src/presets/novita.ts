import { toChatPaths } from '../chat-paths.ts';
import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/novita-ai/models',
  date: '2026-07-02',
};

const EMBED_SOURCE = {
  url: 'https://github.com/BerriAI/litellm/blob/00035b6/model_prices_and_context_window.json',
  date: '2026-11-23',
};

export const novita: Provider = {
  name: 'novita',
  title: 'Novita AI',
  base_url: 'https://api.novita.ai',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key', env: 'NOVITA_API_KEY' }],
  key_page: 'https://novita.ai/settings/key-management',
  price_page: 'https://novita.ai/pricing',
  paths: toChatPaths('/v3/openai/chat/completions', '/v3/openai/models', {
    embed: '/v3/openai/embeddings',
    rerank: '/openai/v1/rerank',
  }),
  models: [
    ...listModels(SOURCE, [
      toModel('deepseek/deepseek-v4-pro', 1_048_576, 393_216, {
        input: 1_690_000,
        cache_read: 130_000,
        output: 3_380_000,
      }),
      toModel('deepseek/deepseek-v4-flash', 1_048_576, 393_216, {
        input: 140_000,
        cache_read: 28_000,
        output: 280_000,
      }),
      toModel('deepseek/deepseek-v3.2', 163_840, 65_536, {
        input: 269_000,
        cache_read: 134_500,
        output: 400_000,
      }),
      toModel('zai-org/glm-5.2', 1_048_576, 131_072, {
        input: 1_400_000,
        cache_read: 260_000,
        output: 4_400_000,
      }),
      toModel('zai-org/glm-5.1', 204_800, 131_072, {
        input: 1_400_000,
        cache_read: 260_000,
        output: 4_400_000,
      }),
      toModel('moonshotai/kimi-k2.6', 262_144, 262_144, {
        input: 950_000,
        cache_read: 160_000,
        output: 4_000_000,
      }),
      toModel('minimax/minimax-m2.5', 204_800, 131_100, {
        input: 300_000,
        cache_read: 30_000,
        output: 1_200_000,
      }),
      toModel('openai/gpt-oss-120b', 131_072, 32_768, { input: 50_000, output: 250_000 }),
    ]),
    ...listModels(EMBED_SOURCE, [
      toModel('qwen/qwen3-embedding-8b', 32_768, null, { input: 70_000, output: 0 }),
      toModel('qwen/qwen3-embedding-0.6b', 32_768, null, { input: 70_000, output: 0 }),
      toModel('baai/bge-m3', 8_192, null, { input: 10_000, output: 0 }),
      toModel('qwen/qwen3-reranker-8b', 32_768, null, { input: 50_000, output: 0 }),
      toModel('baai/bge-reranker-v2-m3', 8_000, null, { input: 10_000, output: 0 }),
    ]),
  ],
};
