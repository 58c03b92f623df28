import { listModels, toModel } from '../list-models.ts';
import { offerModels } from '../offer-models.ts';
import type { Provider } from '../provider.ts';
import { qwen, QWEN_MAX_INPUTS, QWEN_PATHS } from './qwen.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/alibaba-cn/models',
  date: '2026-07-02',
};
const EMBED_SOURCE = {
  url: 'https://www.alibabacloud.com/help/en/model-studio/text-embedding-v4',
  date: '2026-11-23',
};
const RERANK_SOURCE = {
  url: 'https://www.alibabacloud.com/help/en/model-studio/qwen3-rerank',
  date: '2026-11-23',
};

export const qwenCn: Provider = {
  name: 'qwen-cn',
  vendor: 'qwen',
  title: 'Alibaba Qwen (China)',
  base_url: 'https://dashscope.aliyuncs.com',
  protocols: ['openai-chat'],
  paths: QWEN_PATHS,
  max_inputs: QWEN_MAX_INPUTS,
  ways: [{ name: 'key', title: 'API key' }],
  key_page: 'https://bailian.console.aliyun.com',
  price_page: 'https://help.aliyun.com/zh/model-studio/models',
  models: [
    ...offerModels(qwen.models, SOURCE, {
      'qwen3.7-max': {},
      'qwen3.7-plus': {
        max_output_tokens: 64_000,
        tiers: [
          {
            above_input_tokens: 128_000,
            prices: { input: 2_000_000, cache_read: 200_000, cache_write: 2_500_000, output: 6_000_000 },
          },
        ],
      },
      'qwen3.6-plus': {},
      'qwen3.6-flash': {},
      'qwen3.5-plus': { prices: { input: 573_000, output: 3_440_000 } },
      'qwen3-max': { prices: { input: 861_000, output: 3_441_000 } },
      'qwen3-coder-plus': {},
      'qwen-plus': { prices: { input: 115_000, output: 287_000, output_reasoning: 1_147_000 } },
      'qwen-flash': { prices: { input: 22_000, output: 216_000 } },
    }),
    ...listModels(SOURCE, [
      toModel('deepseek-v4-pro', 1_000_000, 384_000, { input: 435_000, cache_read: 3_625, output: 870_000 }),
    ]),
    ...listModels(EMBED_SOURCE, [toModel('text-embedding-v4', 8_192, null, { input: 72_000, output: 0 })]),
    ...listModels(RERANK_SOURCE, [toModel('qwen3-rerank', 30_000, null, { input: 69_000, output: 0 })]),
  ],
};
