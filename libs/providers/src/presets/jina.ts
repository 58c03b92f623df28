import type { Provider } from '../provider.ts';

export const jina: Provider = {
  name: 'jina',
  title: 'Jina DeepSearch',
  base_url: 'https://deepsearch.jina.ai/v1',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key', env: 'JINA_API_KEY' }],
  key_page: 'https://jina.ai/api-dashboard',
  price_page: 'https://jina.ai/deepsearch/',
  models: [],
};
