import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/google.yml',
  date: '2026-08-21',
};

/** They draw in conversations, and where a picture is all that is asked for. */
const DRAWING_MODELS = [
  toModel(
    'gemini-3.1-flash-image',
    1_000_000,
    null,
    { input: 500_000, output: 3_000_000, output_image: 60_000_000 },
    { operations: ['generate', 'draw'] },
  ),
  toModel(
    'gemini-3.1-flash-lite-image',
    null,
    null,
    { input: 250_000, output: 1_500_000, output_image: 30_000_000 },
    { operations: ['generate', 'draw'] },
  ),
  toModel(
    'gemini-3-pro-image',
    1_000_000,
    null,
    { input: 2_000_000, output: 12_000_000, output_image: 120_000_000 },
    { operations: ['generate', 'draw'] },
  ),
];

export const gemini: Provider = {
  name: 'gemini',
  vendor: 'google',
  title: 'Google Gemini',
  base_url: 'https://generativelanguage.googleapis.com',
  protocols: ['gemini'],
  ways: [{ name: 'key', title: 'API key', env: 'GEMINI_API_KEY' }],
  key_page: 'https://aistudio.google.com/apikey',
  base_url_env: 'GOOGLE_GEMINI_BASE_URL',
  price_page: 'https://ai.google.dev/gemini-api/docs/pricing',
  models: listModels(SOURCE, [
    toModel('gemini-3.7-flash', 1_000_000, null, { input: 750_000, cache_read: 75_000, output: 3_750_000 }),
    toModel('gemini-3.6-flash', 1_000_000, null, { input: 750_000, cache_read: 75_000, output: 3_750_000 }),
    toModel('gemini-3.5-flash', 1_048_576, 65_536, {
      input: 1_500_000,
      input_audio: 1_500_000,
      cache_read: 150_000,
      output: 9_000_000,
    }),
    toModel('gemini-3.5-flash-lite', 1_000_000, null, {
      input: 300_000,
      cache_read: 30_000,
      output: 2_500_000,
    }),
    toModel(
      'gemini-3.1-pro-preview',
      1_048_576,
      65_536,
      { input: 2_000_000, cache_read: 200_000, output: 12_000_000 },
      {
        tiers: [
          {
            above_input_tokens: 200_000,
            prices: { input: 4_000_000, cache_read: 400_000, output: 18_000_000 },
          },
        ],
      },
    ),
    toModel('gemini-3.1-flash-lite', 1_048_576, 65_536, {
      input: 250_000,
      input_audio: 500_000,
      cache_read: 25_000,
      cache_read_audio: 50_000,
      output: 1_500_000,
    }),
    toModel('gemini-3-flash-preview', 1_048_576, 65_536, {
      input: 500_000,
      input_audio: 1_000_000,
      cache_read: 50_000,
      cache_read_audio: 100_000,
      output: 3_000_000,
    }),
    toModel(
      'gemini-2.5-pro',
      1_048_576,
      65_536,
      { input: 1_250_000, cache_read: 125_000, output: 10_000_000 },
      {
        tiers: [
          {
            above_input_tokens: 200_000,
            prices: { input: 2_500_000, cache_read: 250_000, output: 15_000_000 },
          },
        ],
      },
    ),
    toModel('gemini-2.5-flash', 1_048_576, 65_536, {
      input: 300_000,
      input_audio: 1_000_000,
      cache_read: 30_000,
      cache_read_audio: 100_000,
      output: 2_500_000,
    }),
    toModel('gemini-2.5-flash-lite', 1_048_576, 65_536, {
      input: 100_000,
      input_audio: 300_000,
      cache_read: 10_000,
      cache_read_audio: 30_000,
      output: 400_000,
    }),
    ...DRAWING_MODELS,
    toModel('gemini-embedding-2', 8_192, null, {
      input: 200_000,
      input_audio: 6_500_000,
      input_image: 450_000,
      output: 0,
    }),
    toModel('gemini-embedding-001', 2_048, null, { input: 150_000, output: 0 }),
  ]),
};
