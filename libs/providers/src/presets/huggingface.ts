import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/huggingface/models',
  date: '2026-07-02',
};

export const huggingface: Provider = {
  name: 'huggingface',
  title: 'Hugging Face Inference Providers',
  base_url: 'https://router.huggingface.co/v1',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key', env: 'HF_TOKEN' }],
  key_page: 'https://huggingface.co/settings/tokens',
  price_page: 'https://huggingface.co/docs/inference-providers/pricing',
  models: listModels(SOURCE, [
    toModel('deepseek-ai/DeepSeek-V4-Pro', 1_048_576, 393_216, {
      input: 435_000,
      cache_read: 3_625,
      output: 870_000,
    }),
    toModel('zai-org/GLM-5.2', 262_144, null, { input: 1_400_000, output: 4_400_000 }),
    toModel('moonshotai/Kimi-K2.6', 262_144, 262_144, {
      input: 950_000,
      cache_read: 160_000,
      output: 4_000_000,
    }),
    toModel('openai/gpt-oss-120b', 131_072, 32_768, { input: 250_000, output: 690_000 }),
  ]),
};
