import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/siliconflow/models',
  date: '2026-07-02',
};

export const siliconflow: Provider = {
  name: 'siliconflow',
  title: 'SiliconFlow',
  base_url: 'https://api.siliconflow.com/v1',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key', env: 'SILICONFLOW_API_KEY' }],
  key_page: 'https://cloud.siliconflow.com/account/ak',
  price_page: 'https://www.siliconflow.com/pricing',
  models: listModels(SOURCE, [
    toModel('deepseek-ai/DeepSeek-V4-Pro', 1_000_000, 384_000, {
      input: 1_740_000,
      cache_read: 145_000,
      output: 3_480_000,
    }),
    toModel('deepseek-ai/DeepSeek-V4-Flash', 1_000_000, 384_000, {
      input: 140_000,
      cache_read: 28_000,
      output: 280_000,
    }),
    toModel('deepseek-ai/DeepSeek-V3.2', 164_000, 164_000, { input: 270_000, output: 420_000 }),
    toModel('zai-org/GLM-5.2', 1_049_000, 262_000, { input: 1_400_000, output: 4_400_000 }),
    toModel('zai-org/GLM-5.1', 205_000, 205_000, { input: 1_400_000, output: 4_400_000 }),
    toModel('moonshotai/Kimi-K2.6', 262_000, 262_000, {
      input: 770_000,
      cache_read: 200_000,
      output: 4_000_000,
    }),
    toModel('MiniMaxAI/MiniMax-M2.5', 197_000, 131_000, { input: 300_000, output: 1_200_000 }),
    toModel('Qwen/Qwen3.5-397B-A17B', 262_144, 262_144, { input: 390_000, output: 2_340_000 }),
    toModel('Qwen/Qwen3-Coder-480B-A35B-Instruct', 262_000, 262_000, { input: 250_000, output: 1_000_000 }),
    toModel('openai/gpt-oss-120b', 131_000, 8_000, { input: 50_000, output: 450_000 }),
  ]),
};
