import { toChatPaths } from '../chat-paths.ts';
import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/alibaba/models',
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

/** It ranks beside where it does all else. */
export const QWEN_PATHS = toChatPaths('/compatible-mode/v1/chat/completions', '/compatible-mode/v1/models', {
  embed: '/compatible-mode/v1/embeddings',
  rerank: '/compatible-api/v1/reranks',
});
/** So many texts are embedded at once; that it ranks more costs nothing, for it reads the query with each document. */
export const QWEN_MAX_INPUTS = 10;

export const qwen: Provider = {
  name: 'qwen',
  title: 'Alibaba Qwen (international)',
  base_url: 'https://dashscope-intl.aliyuncs.com',
  protocols: ['openai-chat'],
  paths: QWEN_PATHS,
  max_inputs: QWEN_MAX_INPUTS,
  ways: [{ name: 'key', title: 'API key', env: 'DASHSCOPE_API_KEY' }],
  key_page: 'https://modelstudio.console.alibabacloud.com',
  price_page: 'https://www.alibabacloud.com/help/en/model-studio/models',
  models: [
    ...listModels(SOURCE, [
      toModel('qwen3.7-max', 1_000_000, 65_536, {
        input: 2_500_000,
        cache_read: 500_000,
        cache_write: 3_125_000,
        output: 7_500_000,
      }),
      toModel(
        'qwen3.7-plus',
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
      toModel('qwen3.6-flash', 1_000_000, 65_536, {
        input: 187_500,
        cache_write: 234_375,
        output: 1_125_000,
      }),
      toModel('qwen3.5-plus', 1_000_000, 65_536, { input: 400_000, output: 2_400_000 }),
      toModel('qwen3-max', 262_144, 65_536, { input: 1_200_000, output: 6_000_000 }),
      toModel('qwen3-coder-plus', 1_048_576, 65_536, { input: 1_000_000, output: 5_000_000 }),
      toModel('qwen3-coder-flash', 1_000_000, 65_536, { input: 300_000, output: 1_500_000 }),
      toModel('qwen-plus', 1_000_000, 32_768, {
        input: 400_000,
        output: 1_200_000,
        output_reasoning: 4_000_000,
      }),
      toModel('qwen-flash', 1_000_000, 32_768, { input: 50_000, output: 400_000 }),
      toModel('qwen3-vl-plus', 262_144, 32_768, {
        input: 200_000,
        output: 1_600_000,
        output_reasoning: 4_800_000,
      }),
    ]),
    ...listModels(EMBED_SOURCE, [toModel('text-embedding-v4', 8_192, null, { input: 70_000, output: 0 })]),
    ...listModels(RERANK_SOURCE, [toModel('qwen3-rerank', 30_000, null, { input: 100_000, output: 0 })]),
  ],
};
