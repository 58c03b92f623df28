import { toBothPaths } from '../chat-paths.ts';
import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/deepseek/models',
  date: '2026-07-02',
};

export const deepseek: Provider = {
  name: 'deepseek',
  title: 'DeepSeek',
  base_url: 'https://api.deepseek.com',
  protocols: ['openai-chat', 'anthropic-messages'],
  ways: [{ name: 'key', title: 'API key', env: 'DEEPSEEK_API_KEY' }],
  key_page: 'https://platform.deepseek.com/api_keys',
  price_page: 'https://api-docs.deepseek.com/quick_start/pricing',
  paths: toBothPaths('/chat/completions'),
  models: listModels(SOURCE, [
    toModel('deepseek-v4-pro', 1_000_000, 384_000, { input: 435_000, cache_read: 3_625, output: 870_000 }),
    toModel('deepseek-v4-flash', 1_000_000, 384_000, { input: 140_000, cache_read: 2_800, output: 280_000 }),
    toModel('deepseek-chat', 1_000_000, 384_000, { input: 140_000, cache_read: 2_800, output: 280_000 }),
    toModel('deepseek-reasoner', 1_000_000, 384_000, { input: 140_000, cache_read: 2_800, output: 280_000 }),
  ]),
};
