import { toBothPaths } from '../chat-paths.ts';
import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/zai/models',
  date: '2026-07-02',
};

export const zai: Provider = {
  name: 'zai',
  title: 'Z.ai (GLM)',
  base_url: 'https://api.z.ai/api',
  protocols: ['openai-chat', 'anthropic-messages'],
  ways: [{ name: 'key', title: 'API key', env: 'ZAI_API_KEY' }],
  key_page: 'https://z.ai/manage-apikey/apikey-list',
  price_page: 'https://docs.z.ai/guides/overview/pricing',
  paths: toBothPaths('/paas/v4/chat/completions'),
  quirks: [{ format: 'openai-chat', takes: { user_min: 6 }, source: 'looplj/axonhub#1669' }],
  models: listModels(SOURCE, [
    toModel('glm-5.2', 1_000_000, 131_072, {
      input: 1_400_000,
      cache_read: 260_000,
      output: 4_400_000,
    }),
    toModel('glm-5.1', 200_000, 131_072, {
      input: 1_400_000,
      cache_read: 260_000,
      output: 4_400_000,
    }),
    toModel('glm-5', 204_800, 131_072, {
      input: 1_000_000,
      cache_read: 200_000,
      output: 3_200_000,
    }),
    toModel('glm-5-turbo', 200_000, 131_072, {
      input: 1_200_000,
      cache_read: 240_000,
      output: 4_000_000,
    }),
    toModel('glm-4.7', 204_800, 131_072, {
      input: 600_000,
      cache_read: 110_000,
      output: 2_200_000,
    }),
    toModel('glm-4.7-flashx', 200_000, 131_072, {
      input: 70_000,
      cache_read: 10_000,
      output: 400_000,
    }),
    toModel('glm-4.6', 204_800, 131_072, {
      input: 600_000,
      cache_read: 110_000,
      output: 2_200_000,
    }),
    toModel('glm-4.5', 131_072, 98_304, {
      input: 600_000,
      cache_read: 110_000,
      output: 2_200_000,
    }),
    toModel('glm-4.5-air', 131_072, 98_304, {
      input: 200_000,
      cache_read: 30_000,
      output: 1_100_000,
    }),
    toModel('glm-4.5v', 64_000, 16_384, { input: 600_000, output: 1_800_000 }),
  ]),
};
