import { toBothPaths } from '../chat-paths.ts';
import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/minimax/models',
  date: '2026-07-02',
};
const OTHER_SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/minimax.yml',
  date: '2026-08-21',
};

export const minimax: Provider = {
  name: 'minimax',
  title: 'MiniMax',
  base_url: 'https://api.minimax.io',
  protocols: ['openai-chat', 'anthropic-messages'],
  ways: [{ name: 'key', title: 'API key', env: 'MINIMAX_API_KEY' }],
  key_page: 'https://platform.minimax.io/user-center/basic-information/interface-key',
  price_page: 'https://platform.minimax.io/docs/guides/pricing',
  paths: toBothPaths('/v1/chat/completions'),
  models: [
    ...listModels(SOURCE, [
      toModel(
        'MiniMax-M3',
        1_000_000,
        128_000,
        { input: 300_000, cache_read: 60_000, output: 1_200_000 },
        {
          tiers: [
            {
              above_input_tokens: 512_000,
              prices: { input: 600_000, cache_read: 120_000, output: 2_400_000 },
            },
          ],
        },
      ),
      toModel('MiniMax-M2.5', 204_800, 131_072, {
        input: 300_000,
        cache_read: 30_000,
        cache_write: 375_000,
        output: 1_200_000,
      }),
      toModel('MiniMax-M2.1', 204_800, 131_072, { input: 300_000, output: 1_200_000 }),
    ]),
    ...listModels(OTHER_SOURCE, [
      toModel('MiniMax-M2.7', 204_800, 131_072, {
        input: 300_000,
        cache_read: 60_000,
        cache_write: 375_000,
        output: 1_200_000,
      }),
      toModel('MiniMax-M2.7-highspeed', 204_800, 131_072, {
        input: 600_000,
        cache_read: 60_000,
        cache_write: 375_000,
        output: 2_400_000,
      }),
      toModel('MiniMax-M2.5-highspeed', 204_800, 131_072, {
        input: 600_000,
        cache_read: 30_000,
        cache_write: 375_000,
        output: 2_400_000,
      }),
    ]),
  ],
};
