import { toBothPaths } from '../chat-paths.ts';
import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/moonshotai.yml',
  date: '2026-08-21',
};
const OTHER_SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/moonshotai/models',
  date: '2026-07-02',
};

export const moonshot: Provider = {
  name: 'moonshot',
  title: 'Moonshot AI (Kimi)',
  base_url: 'https://api.moonshot.ai',
  protocols: ['openai-chat', 'anthropic-messages'],
  ways: [{ name: 'key', title: 'API key', env: 'MOONSHOT_API_KEY' }],
  key_page: 'https://platform.moonshot.ai/console/api-keys',
  price_page: 'https://platform.moonshot.ai/docs/pricing/chat',
  paths: toBothPaths('/v1/chat/completions'),
  quirks: [
    {
      format: 'openai-chat',
      takes: { sampling: 'none' },
      source: 'HKUDS/nanobot#4967, tinyhumansai/openhuman#2082, iOfficeAI/gemini-cli-pro#30',
    },
  ],
  models: [
    ...listModels(SOURCE, [
      toModel('kimi-k3', 1_048_576, null, { input: 3_000_000, cache_read: 300_000, output: 15_000_000 }),
      toModel('kimi-k2.7-code', 262_144, 262_144, { input: 950_000, cache_read: 190_000, output: 4_000_000 }),
      toModel('kimi-k2.6', 262_144, 262_144, { input: 950_000, cache_read: 160_000, output: 4_000_000 }),
      toModel('kimi-k2.5', 262_144, 262_144, { input: 600_000, cache_read: 100_000, output: 3_000_000 }),
      toModel('kimi-k2-thinking', 262_144, 262_144, {
        input: 600_000,
        cache_read: 150_000,
        output: 2_500_000,
      }),
    ]),
    ...listModels(OTHER_SOURCE, [
      toModel('kimi-k2.7-code-highspeed', 262_144, 262_144, {
        input: 1_900_000,
        cache_read: 380_000,
        output: 8_000_000,
      }),
    ]),
  ],
};
