import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/cerebras.yml',
  date: '2026-08-21',
};
const OTHER_SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/cerebras/models',
  date: '2026-07-02',
};

export const cerebras: Provider = {
  name: 'cerebras',
  title: 'Cerebras',
  base_url: 'https://api.cerebras.ai/v1',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key', env: 'CEREBRAS_API_KEY' }],
  key_page: 'https://cloud.cerebras.ai',
  price_page: 'https://www.cerebras.ai/pricing',
  quirks: [
    {
      format: 'openai-chat',
      takes: { refused_fields: ['logit_bias'] },
      source: 'pydantic/pydantic-ai#7653: never applied, and refused above 100 entries',
    },
    {
      format: 'openai-chat',
      takes: { reasoning_echo: false },
      source: 'Kilo-Org/kilocode#10375, CherryHQ/cherry-studio#16790',
    },
  ],
  models: [
    ...listModels(SOURCE, [toModel('gpt-oss-120b', 131_072, 40_960, { input: 350_000, output: 750_000 })]),
    ...listModels(OTHER_SOURCE, [
      toModel('zai-glm-4.7', 131_072, 40_960, {
        input: 2_250_000,
        output: 2_750_000,
      }),
    ]),
  ],
};
