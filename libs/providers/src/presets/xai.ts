import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/x_ai.yml',
  date: '2026-08-21',
};
const OTHER_SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/xai/models',
  date: '2026-07-02',
};

export const xai: Provider = {
  name: 'xai',
  title: 'xAI',
  base_url: 'https://api.x.ai/v1',
  protocols: ['openai-chat', 'openai-responses'],
  ways: [{ name: 'key', title: 'API key', env: 'XAI_API_KEY' }],
  key_page: 'https://console.x.ai',
  price_page: 'https://docs.x.ai/docs/models',
  quirks: [
    {
      format: 'openai-chat',
      takes: { refused_fields: ['presence_penalty', 'frequency_penalty', 'stop'] },
      source: 'miaoxworld/NativeTavern#83, lobehub/lobehub#13332, BerriAI/litellm-docs#817',
    },
  ],
  models: [
    ...listModels(SOURCE, [
      toModel('grok-4.5', 500_000, null, { input: 2_000_000, cache_read: 500_000, output: 6_000_000 }),
      toModel('grok-4-1-fast-reasoning', 2_000_000, null, {
        input: 200_000,
        cache_read: 50_000,
        output: 500_000,
      }),
      toModel('grok-4-1-fast-non-reasoning', 2_000_000, null, {
        input: 200_000,
        cache_read: 50_000,
        output: 500_000,
      }),
      toModel('grok-code-fast-1', 256_000, null, { input: 200_000, cache_read: 20_000, output: 1_500_000 }),
    ]),
    ...listModels(OTHER_SOURCE, [
      toModel(
        'grok-4.3',
        1_000_000,
        30_000,
        { input: 1_250_000, cache_read: 200_000, output: 2_500_000 },
        {
          tiers: [
            {
              above_input_tokens: 200_000,
              prices: { input: 2_500_000, cache_read: 400_000, output: 5_000_000 },
            },
          ],
        },
      ),
      toModel(
        'grok-4.20-0309-reasoning',
        1_000_000,
        30_000,
        { input: 1_250_000, cache_read: 200_000, output: 2_500_000 },
        {
          tiers: [
            {
              above_input_tokens: 200_000,
              prices: { input: 2_500_000, cache_read: 400_000, output: 5_000_000 },
            },
          ],
        },
      ),
      toModel(
        'grok-4.20-0309-non-reasoning',
        1_000_000,
        30_000,
        { input: 1_250_000, cache_read: 200_000, output: 2_500_000 },
        {
          tiers: [
            {
              above_input_tokens: 200_000,
              prices: { input: 2_500_000, cache_read: 400_000, output: 5_000_000 },
            },
          ],
        },
      ),
      toModel(
        'grok-build-0.1',
        256_000,
        256_000,
        { input: 1_000_000, cache_read: 200_000, output: 2_000_000 },
        {
          tiers: [
            {
              above_input_tokens: 200_000,
              prices: { input: 2_000_000, cache_read: 400_000, output: 4_000_000 },
            },
          ],
        },
      ),
    ]),
  ],
};
