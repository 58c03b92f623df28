import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/fireworks-ai/models',
  date: '2026-07-02',
};

const RERANK_SOURCE = {
  url: 'https://www.getmaxim.ai/bifrost/llm-cost-calculator/provider/fireworks_ai/model/qwen3-reranker-8b.md',
  date: '2026-11-23',
};

export const fireworks: Provider = {
  name: 'fireworks',
  title: 'Fireworks AI',
  base_url: 'https://api.fireworks.ai/inference/v1',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key', env: 'FIREWORKS_API_KEY' }],
  key_page: 'https://app.fireworks.ai/settings/users/api-keys',
  price_page: 'https://fireworks.ai/pricing',
  models: [
    ...listModels(SOURCE, [
      toModel('accounts/fireworks/models/deepseek-v4-pro', 1_000_000, 384_000, {
        input: 1_740_000,
        cache_read: 145_000,
        output: 3_480_000,
      }),
      toModel('accounts/fireworks/models/deepseek-v4-flash', 1_000_000, 384_000, {
        input: 140_000,
        cache_read: 28_000,
        output: 280_000,
      }),
      toModel('accounts/fireworks/models/glm-5p2', 1_048_575, 131_072, {
        input: 1_400_000,
        cache_read: 260_000,
        output: 4_400_000,
      }),
      toModel('accounts/fireworks/models/glm-5p1', 202_800, 131_072, {
        input: 1_400_000,
        cache_read: 260_000,
        output: 4_400_000,
      }),
      toModel('accounts/fireworks/models/kimi-k2p6', 262_000, 262_000, {
        input: 950_000,
        cache_read: 160_000,
        output: 4_000_000,
      }),
      toModel('accounts/fireworks/models/kimi-k2p7-code', 262_000, 262_000, {
        input: 950_000,
        cache_read: 190_000,
        output: 4_000_000,
      }),
      toModel('accounts/fireworks/models/minimax-m3', 512_000, 512_000, {
        input: 300_000,
        cache_read: 60_000,
        output: 1_200_000,
      }),
      toModel('accounts/fireworks/models/minimax-m2p7', 196_608, 196_608, {
        input: 300_000,
        cache_read: 60_000,
        output: 1_200_000,
      }),
      toModel('accounts/fireworks/models/qwen3p7-plus', 262_144, 65_536, {
        input: 400_000,
        cache_read: 80_000,
        output: 1_600_000,
      }),
      toModel('accounts/fireworks/models/gpt-oss-120b', 131_072, 32_768, {
        input: 150_000,
        cache_read: 15_000,
        output: 600_000,
      }),
      toModel('accounts/fireworks/models/gpt-oss-20b', 131_072, 32_768, {
        input: 70_000,
        cache_read: 35_000,
        output: 300_000,
      }),
    ]),
    ...listModels(RERANK_SOURCE, [
      toModel('accounts/fireworks/models/qwen3-reranker-8b', 40_960, null, { input: 200_000, output: 0 }),
    ]),
  ],
};
