import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/alibaba-cn/models',
  date: '2026-07-02',
};

export const qwenCn: Provider = {
  name: 'qwen-cn',
  vendor: 'qwen',
  title: 'Alibaba Qwen (China)',
  base_url: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key' }],
  key_page: 'https://bailian.console.aliyun.com',
  price_page: 'https://help.aliyun.com/zh/model-studio/models',
  models: listModels(SOURCE, [
    toModel('qwen3.7-max', 1_000_000, 65_536, {
      input: 2_500_000,
      cache_read: 500_000,
      cache_write: 3_125_000,
      output: 7_500_000,
    }),
    toModel(
      'qwen3.7-plus',
      1_000_000,
      64_000,
      { input: 500_000, cache_read: 50_000, cache_write: 625_000, output: 3_000_000 },
      {
        tiers: [
          {
            above_input_tokens: 128_000,
            prices: { input: 2_000_000, cache_read: 200_000, cache_write: 2_500_000, output: 6_000_000 },
          },
        ],
      },
    ),
    toModel(
      'qwen3.6-plus',
      1_000_000,
      65_536,
      { input: 500_000, cache_read: 50_000, cache_write: 625_000, output: 3_000_000 },
      {
        tiers: [
          {
            above_input_tokens: 256_000,
            prices: { input: 2_000_000, cache_read: 200_000, cache_write: 2_500_000, output: 6_000_000 },
          },
        ],
      },
    ),
    toModel('qwen3.6-flash', 1_000_000, 65_536, { input: 187_500, cache_write: 234_375, output: 1_125_000 }),
    toModel('qwen3.5-plus', 1_000_000, 65_536, { input: 573_000, output: 3_440_000 }),
    toModel('qwen3-max', 262_144, 65_536, { input: 861_000, output: 3_441_000 }),
    toModel('qwen3-coder-plus', 1_048_576, 65_536, { input: 1_000_000, output: 5_000_000 }),
    toModel('qwen-plus', 1_000_000, 32_768, { input: 115_000, output: 287_000, output_reasoning: 1_147_000 }),
    toModel('qwen-flash', 1_000_000, 32_768, { input: 22_000, output: 216_000 }),
    toModel('deepseek-v4-pro', 1_000_000, 384_000, { input: 435_000, cache_read: 3_625, output: 870_000 }),
  ]),
};
