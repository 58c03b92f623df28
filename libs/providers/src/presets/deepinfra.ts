import { toChatPaths } from '../chat-paths.ts';
import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/deepinfra/models',
  date: '2026-07-02',
};

const EMBED_SOURCE = { url: 'https://deepinfra.com/Qwen/Qwen3-Embedding-0.6B/api', date: '2026-11-23' };

export const deepinfra: Provider = {
  name: 'deepinfra',
  title: 'DeepInfra',
  base_url: 'https://api.deepinfra.com/v1/openai',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key', env: 'DEEPINFRA_API_KEY' }],
  key_page: 'https://deepinfra.com/dash/api_keys',
  price_page: 'https://deepinfra.com/pricing',
  paths: toChatPaths('/chat/completions', '/models', { embed: '/embeddings' }),
  models: [
    ...listModels(SOURCE, [
      toModel('deepseek-ai/DeepSeek-V4-Pro', 1_048_576, 16_384, {
        input: 1_300_000,
        cache_read: 100_000,
        output: 2_600_000,
      }),
      toModel('deepseek-ai/DeepSeek-V4-Flash', 1_048_576, 16_384, {
        input: 100_000,
        cache_read: 20_000,
        output: 200_000,
      }),
      toModel('deepseek-ai/DeepSeek-V3.2', 163_840, 64_000, {
        input: 260_000,
        cache_read: 130_000,
        output: 380_000,
      }),
      toModel('zai-org/GLM-5.2', 1_048_576, 32_768, {
        input: 950_000,
        cache_read: 180_000,
        output: 3_000_000,
      }),
      toModel('zai-org/GLM-5.1', 202_752, 16_384, {
        input: 1_050_000,
        cache_read: 205_000,
        output: 3_500_000,
      }),
      toModel('moonshotai/Kimi-K2.6', 262_144, 16_384, {
        input: 750_000,
        cache_read: 150_000,
        output: 3_500_000,
      }),
      toModel('MiniMaxAI/MiniMax-M2.5', 196_608, 131_072, {
        input: 150_000,
        cache_read: 30_000,
        cache_write: 375_000,
        output: 1_150_000,
      }),
      toModel('Qwen/Qwen3.5-397B-A17B', 262_144, 81_920, {
        input: 450_000,
        cache_read: 220_000,
        output: 3_000_000,
      }),
      toModel('openai/gpt-oss-120b', 131_072, 16_384, { input: 39_000, output: 190_000 }),
      toModel('openai/gpt-oss-20b', 131_072, 16_384, { input: 30_000, output: 140_000 }),
    ]),
    ...listModels(EMBED_SOURCE, [
      toModel('Qwen/Qwen3-Embedding-0.6B', 8_192, null, { input: 2_000, output: 0 }),
    ]),
  ],
};
