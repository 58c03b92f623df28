import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/groq.yml',
  date: '2026-08-21',
};

const SOUND_SOURCE = {
  url: 'https://github.com/BerriAI/litellm/blob/00035b6/model_prices_and_context_window.json',
  date: '2026-11-23',
};

const NO_TOKENS = { input: 0, output: 0 };

export const groq: Provider = {
  name: 'groq',
  title: 'Groq',
  base_url: 'https://api.groq.com/openai/v1',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key', env: 'GROQ_API_KEY' }],
  key_page: 'https://console.groq.com/keys',
  price_page: 'https://groq.com/pricing',
  quirks: [
    {
      format: 'openai-chat',
      takes: { refused_fields: ['logprobs', 'top_logprobs', 'logit_bias'] },
      source: 'groq/groq-python#31, groq/groq-python#25',
    },
    {
      format: 'openai-chat',
      takes: { reasoning_echo: false },
      source: 'janhq/jan#8136, NousResearch/hermes-agent#11089, tashfeenahmed/freellmapi#1070',
    },
  ],
  models: [
    ...listModels(SOURCE, [
      toModel('openai/gpt-oss-120b', 131_072, 65_536, {
        input: 150_000,
        cache_read: 75_000,
        output: 600_000,
      }),
      toModel('openai/gpt-oss-20b', 131_072, 65_536, { input: 75_000, cache_read: 37_500, output: 300_000 }),
      toModel('llama-3.3-70b-versatile', 131_072, 32_768, { input: 590_000, output: 790_000 }),
      toModel('llama-3.1-8b-instant', 131_072, 131_072, { input: 50_000, output: 80_000 }),
      toModel('meta-llama/llama-4-scout-17b-16e-instruct', 131_072, 8_192, {
        input: 110_000,
        output: 340_000,
      }),
      // It reasons or it does not: it takes no efforts but `none` and `default`.
      toModel(
        'qwen/qwen3-32b',
        131_072,
        40_960,
        { input: 290_000, output: 590_000 },
        { dialect: { efforts: ['none'] } },
      ),
    ]),
    ...listModels(SOUND_SOURCE, [
      toModel('whisper-large-v3', null, null, NO_TOKENS, { unit_prices: { audio_milliseconds: 30_830 } }),
      // It translates nothing.
      toModel('whisper-large-v3-turbo', null, null, NO_TOKENS, {
        unit_prices: { audio_milliseconds: 11_110 },
        operations: ['transcribe'],
      }),
    ]),
  ],
};
