import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/togetherai/models',
  date: '2026-07-02',
};

export const together: Provider = {
  name: 'together',
  title: 'Together AI',
  base_url: 'https://api.together.xyz/v1',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key', env: 'TOGETHER_API_KEY' }],
  key_page: 'https://api.together.ai/settings/api-keys',
  price_page: 'https://www.together.ai/pricing',
  models: listModels(SOURCE, [
    toModel('deepseek-ai/DeepSeek-V4-Pro', 512_000, 384_000, {
      input: 1_740_000,
      cache_read: 200_000,
      output: 3_480_000,
    }),
    toModel('zai-org/GLM-5.2', 262_144, 164_000, {
      input: 1_400_000,
      cache_read: 260_000,
      output: 4_400_000,
    }),
    toModel('moonshotai/Kimi-K2.6', 262_144, 131_000, {
      input: 1_200_000,
      cache_read: 200_000,
      output: 4_500_000,
    }),
    toModel('moonshotai/Kimi-K2.7-Code', 262_144, 131_072, {
      input: 950_000,
      cache_read: 190_000,
      output: 4_000_000,
    }),
    toModel('MiniMaxAI/MiniMax-M3', 524_288, 250_000, {
      input: 300_000,
      cache_read: 60_000,
      output: 1_200_000,
    }),
    toModel('Qwen/Qwen3.5-397B-A17B', 262_144, 130_000, { input: 600_000, output: 3_600_000 }),
    toModel('openai/gpt-oss-120b', 131_072, 131_072, { input: 150_000, output: 600_000 }),
    toModel('openai/gpt-oss-20b', 131_072, 131_072, { input: 50_000, output: 200_000 }),
    toModel('meta-llama/Llama-3.3-70B-Instruct-Turbo', 131_072, 131_072, { input: 880_000, output: 880_000 }),
    toModel('google/gemma-4-31B-it', 262_144, 131_072, { input: 390_000, output: 970_000 }),
  ]),
};
