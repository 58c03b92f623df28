import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/cohere/models',
  date: '2026-07-02',
};

export const cohere: Provider = {
  name: 'cohere',
  title: 'Cohere',
  base_url: 'https://api.cohere.ai/compatibility/v1',
  protocols: ['openai-chat'],
  ways: [{ name: 'key', title: 'API key', env: 'COHERE_API_KEY' }],
  key_page: 'https://dashboard.cohere.com/api-keys',
  price_page: 'https://cohere.com/pricing',
  models: listModels(SOURCE, [
    toModel('command-a-plus-05-2026', 128_000, 64_000, { input: 2_500_000, output: 10_000_000 }),
    toModel('command-a-03-2025', 256_000, 8_000, { input: 2_500_000, output: 10_000_000 }),
    toModel('command-a-reasoning-08-2025', 256_000, 32_000, { input: 2_500_000, output: 10_000_000 }),
    toModel('command-a-vision-07-2025', 128_000, 8_000, { input: 2_500_000, output: 10_000_000 }),
    toModel('command-r-plus-08-2024', 128_000, 4_000, { input: 2_500_000, output: 10_000_000 }),
    toModel('command-r-08-2024', 128_000, 4_000, { input: 150_000, output: 600_000 }),
    toModel('command-r7b-12-2024', 128_000, 4_000, { input: 37_500, output: 150_000 }),
  ]),
};
