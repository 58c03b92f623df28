import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/openai.yml',
  date: '2026-08-21',
};
const OTHER_SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/openai/models',
  date: '2026-07-02',
};

const WHISPER_SOURCE = {
  url: 'https://developers.openai.com/api/docs/models/whisper-1.md',
  date: '2026-11-23',
};

/** Models for other things than conversations. */
const TASK_MODELS = listModels(SOURCE, [
  toModel('text-embedding-3-large', 8_192, null, { input: 130_000, output: 0 }),
  toModel('text-embedding-3-small', 8_192, null, { input: 20_000, output: 0 }),
  toModel('text-embedding-ada-002', 8_192, null, { input: 100_000, output: 0 }),
  toModel('omni-moderation-latest', null, null, { input: 0, output: 0 }),
  toModel('gpt-image-2', null, null, {
    input: 5_000_000,
    input_image: 8_000_000,
    cache_read: 1_250_000,
    cache_read_image: 2_000_000,
    output: 30_000_000,
  }),
  toModel('gpt-image-1.5', null, null, {
    input: 5_000_000,
    input_image: 8_000_000,
    cache_read: 1_250_000,
    cache_read_image: 2_000_000,
    output: 10_000_000,
    output_image: 32_000_000,
  }),
  toModel('gpt-image-1-mini', null, null, {
    input: 2_000_000,
    input_image: 2_500_000,
    cache_read: 200_000,
    cache_read_image: 250_000,
    output: 8_000_000,
  }),
  toModel('gpt-4o-transcribe', 16_000, 2_000, {
    input: 2_500_000,
    input_audio: 6_000_000,
    output: 10_000_000,
  }),
  toModel('gpt-4o-mini-transcribe', 16_000, 2_000, {
    input: 1_250_000,
    input_audio: 3_000_000,
    output: 5_000_000,
  }),
  toModel('gpt-4o-mini-tts', 2_000, null, { input: 600_000, output: 12_000_000 }),
]);

export const openai: Provider = {
  name: 'openai',
  title: 'OpenAI',
  base_url: 'https://api.openai.com/v1',
  protocols: ['openai-chat', 'openai-responses'],
  ways: [{ name: 'key', title: 'API key', env: 'OPENAI_API_KEY' }],
  key_page: 'https://platform.openai.com/api-keys',
  base_url_env: 'OPENAI_BASE_URL',
  price_page: 'https://openai.com/api/pricing',
  quirks: [
    { format: 'openai-chat', takes: { user_max: 64 }, source: 'theopenco/llmgateway#3110' },
    { format: 'openai-responses', takes: { user_max: 64 }, source: 'vybestack/llxprt-code#2135' },
  ],
  models: [
    ...listModels(SOURCE, [
      toModel(
        'gpt-5.6-sol',
        1_050_000,
        null,
        { input: 5_000_000, cache_read: 500_000, cache_write: 6_250_000, output: 30_000_000 },
        {
          tiers: [
            {
              above_input_tokens: 272_000,
              prices: {
                input: 10_000_000,
                cache_read: 1_000_000,
                cache_write: 12_500_000,
                output: 45_000_000,
              },
            },
          ],
        },
      ),
      toModel(
        'gpt-5.6-terra',
        1_050_000,
        null,
        { input: 2_000_000, cache_read: 200_000, cache_write: 2_500_000, output: 12_000_000 },
        {
          tiers: [
            {
              above_input_tokens: 272_000,
              prices: { input: 4_000_000, cache_read: 400_000, cache_write: 5_000_000, output: 18_000_000 },
            },
          ],
        },
      ),
      toModel(
        'gpt-5.6-luna',
        1_050_000,
        null,
        { input: 200_000, cache_read: 20_000, cache_write: 250_000, output: 1_200_000 },
        {
          tiers: [
            {
              above_input_tokens: 272_000,
              prices: { input: 400_000, cache_read: 40_000, cache_write: 500_000, output: 1_800_000 },
            },
          ],
        },
      ),
      toModel(
        'gpt-5.4',
        1_050_000,
        128_000,
        { input: 2_500_000, cache_read: 250_000, output: 15_000_000 },
        {
          tiers: [
            {
              above_input_tokens: 272_000,
              prices: { input: 5_000_000, cache_read: 500_000, output: 22_500_000 },
            },
          ],
        },
      ),
      toModel('gpt-5.4-mini', 400_000, 128_000, { input: 750_000, cache_read: 75_000, output: 4_500_000 }),
      toModel('gpt-5.4-nano', 400_000, 128_000, { input: 200_000, cache_read: 20_000, output: 1_250_000 }),
      toModel('gpt-5.3-codex', 400_000, 128_000, {
        input: 1_750_000,
        cache_read: 175_000,
        output: 14_000_000,
      }),
      toModel('gpt-5.2', 400_000, 128_000, { input: 1_750_000, cache_read: 175_000, output: 14_000_000 }),
      toModel('gpt-5.1', 400_000, 128_000, { input: 1_250_000, cache_read: 125_000, output: 10_000_000 }),
      toModel('gpt-5', 400_000, 128_000, { input: 1_250_000, cache_read: 125_000, output: 10_000_000 }),
      toModel('gpt-5-mini', 400_000, 128_000, { input: 250_000, cache_read: 25_000, output: 2_000_000 }),
      toModel('gpt-5-nano', 400_000, 128_000, { input: 50_000, cache_read: 5_000, output: 400_000 }),
      toModel('gpt-4.1', 1_047_576, 32_768, { input: 2_000_000, cache_read: 500_000, output: 8_000_000 }),
      toModel('gpt-4.1-mini', 1_047_576, 32_768, { input: 400_000, cache_read: 100_000, output: 1_600_000 }),
      toModel('gpt-4.1-nano', 1_047_576, 32_768, { input: 100_000, cache_read: 25_000, output: 400_000 }),
      toModel('gpt-4o', 128_000, 16_384, { input: 2_500_000, cache_read: 1_250_000, output: 10_000_000 }),
      toModel('gpt-4o-mini', 128_000, 16_384, { input: 150_000, cache_read: 75_000, output: 600_000 }),
      toModel('o3', 200_000, 100_000, { input: 2_000_000, cache_read: 500_000, output: 8_000_000 }),
      toModel('o4-mini', 200_000, 100_000, { input: 1_100_000, cache_read: 275_000, output: 4_400_000 }),
    ]),
    ...listModels(OTHER_SOURCE, [
      toModel(
        'gpt-5.5',
        1_050_000,
        128_000,
        { input: 5_000_000, cache_read: 500_000, output: 30_000_000 },
        {
          tiers: [
            {
              above_input_tokens: 272_000,
              prices: { input: 10_000_000, cache_read: 1_000_000, output: 45_000_000 },
            },
          ],
        },
      ),
      toModel(
        'gpt-5.5-pro',
        1_050_000,
        128_000,
        { input: 30_000_000, output: 180_000_000 },
        { tiers: [{ above_input_tokens: 272_000, prices: { input: 60_000_000, output: 270_000_000 } }] },
      ),
    ]),
    ...TASK_MODELS,
    ...listModels(WHISPER_SOURCE, [
      // 0.006 USD a minute.
      toModel(
        'whisper-1',
        null,
        null,
        { input: 0, output: 0 },
        { unit_prices: { audio_milliseconds: 100_000 } },
      ),
    ]),
  ],
};
