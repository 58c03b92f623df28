import { toChatPaths } from '../chat-paths.ts';
import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/zhipuai/models',
  date: '2026-07-02',
};

export const zhipu: Provider = {
  name: 'zhipu',
  vendor: 'zai',
  title: 'Zhipu (GLM, China)',
  base_url: 'https://open.bigmodel.cn/api/paas/v4',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key', env: 'ZHIPU_API_KEY' }],
  key_page: 'https://open.bigmodel.cn/usercenter/apikeys',
  price_page: 'https://open.bigmodel.cn/pricing',
  paths: toChatPaths('/chat/completions'),
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
    toModel('glm-4.7', 204_800, 131_072, {
      input: 600_000,
      cache_read: 110_000,
      output: 2_200_000,
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
  ]),
};
