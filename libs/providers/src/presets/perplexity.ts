import { toChatPaths } from '../chat-paths.ts';
import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/perplexity.yml',
  date: '2026-08-21',
};

export const perplexity: Provider = {
  name: 'perplexity',
  title: 'Perplexity',
  base_url: 'https://api.perplexity.ai',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key', env: 'PERPLEXITY_API_KEY' }],
  key_page: 'https://www.perplexity.ai/settings/api',
  price_page: 'https://docs.perplexity.ai/getting-started/pricing',
  paths: toChatPaths('/chat/completions'),
  quirks: [
    {
      format: 'openai-chat',
      takes: { refused_fields: ['tools', 'tool_choice', 'parallel_tool_calls'] },
      source: 'ProfSynapse/nexus#116',
    },
  ],
  models: listModels(SOURCE, [
    toModel('sonar', 128_000, 4_096, { input: 1_000_000, output: 1_000_000 }, { request_price: 12_000 }),
    toModel('sonar-pro', 200_000, 8_192, { input: 3_000_000, output: 15_000_000 }, { request_price: 14_000 }),
    toModel(
      'sonar-reasoning-pro',
      128_000,
      4_096,
      { input: 2_000_000, output: 8_000_000 },
      { request_price: 14_000 },
    ),
  ]),
};
