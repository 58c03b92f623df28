import { toChatPaths } from '../chat-paths.ts';
import { offerModels } from '../offer-models.ts';
import type { Provider } from '../provider.ts';
import { zai } from './zai.ts';

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
  quirks: [{ format: 'openai-chat', takes: { user_min: 6 }, source: 'looplj/axonhub#1669' }],
  models: offerModels(zai.models, SOURCE, {
    'glm-5.2': {},
    'glm-5.1': {},
    'glm-5': {},
    'glm-4.7': {},
    'glm-4.6': {},
    'glm-4.5': {},
    'glm-4.5-air': {},
  }),
};
