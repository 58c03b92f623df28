import { toChatPaths } from '../chat-paths.ts';
import type { Provider } from '../provider.ts';

export const doubao: Provider = {
  name: 'doubao',
  title: 'Volcengine Doubao',
  base_url: 'https://ark.cn-beijing.volces.com/api/v3',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key', env: 'ARK_API_KEY' }],
  key_page: 'https://console.volcengine.com/ark',
  price_page: 'https://www.volcengine.com/docs/82379/1544106',
  paths: toChatPaths('/chat/completions'),
  note: 'The name of a model is its own, or that of an endpoint of yours (ep-…). Prices are in yuan: state yours.',
  models: [],
};
