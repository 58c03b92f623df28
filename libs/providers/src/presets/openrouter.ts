import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/anthropic.yml',
  date: '2026-08-21',
};
const OTHER_SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/openrouter/models',
  date: '2026-07-02',
};
const EMBED_SOURCE = { url: 'https://openrouter.ai/qwen/qwen3-embedding-4b/api', date: '2026-11-23' };
const RERANK_SOURCE = { url: 'https://openrouter.ai/models/cohere/rerank-5-fast', date: '2026-11-23' };

export const openrouter: Provider = {
  name: 'openrouter',
  title: 'OpenRouter',
  base_url: 'https://openrouter.ai/api/v1',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key', env: 'OPENROUTER_API_KEY' }],
  key_page: 'https://openrouter.ai/settings/keys',
  price_page: 'https://openrouter.ai/models',
  quirks: [
    {
      format: 'openai-chat',
      takes: { reasons_with_tools: true },
      source: 'OpenRouter documentation of reasoning: OpenAI is asked in its other format',
    },
  ],
  models: [
    ...listModels(SOURCE, [
      toModel('anthropic/claude-sonnet-5', 1_000_000, 128_000, {
        input: 3_000_000,
        cache_read: 300_000,
        cache_write: 3_750_000,
        cache_write_1h: 6_000_000,
        output: 15_000_000,
      }),
    ]),
    ...listModels(OTHER_SOURCE, [
      toModel('anthropic/claude-opus-4.8', 1_000_000, 128_000, {
        input: 5_000_000,
        cache_read: 500_000,
        cache_write: 6_250_000,
        output: 25_000_000,
      }),
      toModel('anthropic/claude-haiku-4.5', 200_000, 64_000, {
        input: 1_000_000,
        cache_read: 100_000,
        cache_write: 1_250_000,
        output: 5_000_000,
      }),
      toModel('openai/gpt-5.5', 1_050_000, 128_000, {
        input: 5_000_000,
        cache_read: 500_000,
        output: 30_000_000,
      }),
      toModel('openai/gpt-5.4', 1_050_000, 128_000, {
        input: 2_500_000,
        cache_read: 250_000,
        output: 15_000_000,
      }),
      toModel('openai/gpt-5.4-mini', 400_000, 128_000, {
        input: 750_000,
        cache_read: 75_000,
        output: 4_500_000,
      }),
      toModel(
        'google/gemini-3.1-pro-preview',
        1_048_576,
        65_536,
        { input: 2_000_000, cache_read: 200_000, cache_write: 375_000, output: 12_000_000 },
        {
          tiers: [
            {
              above_input_tokens: 200_000,
              prices: {
                input: 4_000_000,
                cache_read: 400_000,
                cache_write: 375_000,
                output: 18_000_000,
                output_reasoning: 12_000_000,
              },
            },
          ],
        },
      ),
      toModel('google/gemini-3.5-flash', 1_048_576, 65_536, {
        input: 1_500_000,
        cache_read: 150_000,
        cache_write: 83_333,
        output: 9_000_000,
      }),
      toModel('google/gemini-2.5-flash', null, 65_535, {
        input: 300_000,
        cache_read: 30_000,
        cache_write: 83_333,
        output: 2_500_000,
      }),
      toModel(
        'x-ai/grok-4.3',
        null,
        1_000_000,
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
      toModel('deepseek/deepseek-v4-pro', 1_048_576, null, {
        input: 435_000,
        cache_read: 3_625,
        output: 870_000,
      }),
      toModel('deepseek/deepseek-v4-flash', 1_048_575, 65_536, {
        input: 98_000,
        cache_read: 20_000,
        output: 196_000,
      }),
      toModel('z-ai/glm-5.2', 1_048_576, 32_768, { input: 930_000, cache_read: 180_000, output: 3_000_000 }),
      toModel('moonshotai/kimi-k2.6', 262_144, 262_144, {
        input: 550_000,
        cache_read: 110_000,
        output: 3_200_000,
      }),
      toModel('qwen/qwen3.7-max', 1_000_000, 65_536, {
        input: 1_250_000,
        cache_read: 250_000,
        cache_write: 1_562_500,
        output: 3_750_000,
      }),
      toModel('minimax/minimax-m3', 524_288, 512_000, {
        input: 300_000,
        cache_read: 60_000,
        output: 1_200_000,
      }),
      toModel('mistralai/mistral-large-2512', 262_144, 262_144, {
        input: 500_000,
        cache_read: 50_000,
        output: 1_500_000,
      }),
      toModel('openai/gpt-oss-120b', null, 131_072, { input: 30_000, output: 150_000 }),
    ]),
    ...listModels(EMBED_SOURCE, [
      toModel('qwen/qwen3-embedding-4b', 32_768, null, { input: 20_000, output: 0 }),
    ]),
    ...listModels(RERANK_SOURCE, [
      toModel('cohere/rerank-5-fast', 33_000, null, { input: 20_000, output: 0 }),
    ]),
  ],
};
