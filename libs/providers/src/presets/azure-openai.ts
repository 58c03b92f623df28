import { AZURE_APP_FIELDS } from './azure-fields.ts';
import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/azure/models',
  date: '2026-07-02',
};

export const azureOpenai: Provider = {
  name: 'azure-openai',
  vendor: 'openai',
  title: 'Azure OpenAI',
  base_url: 'https://{resource}.openai.azure.com/openai/v1',
  fields: [
    {
      name: 'resource',
      title: 'Name of the resource',
      example: 'acme-east',
      env: 'AZURE_RESOURCE_NAME',
      pattern: '^[A-Za-z0-9-]{2,64}$',
    },
  ],
  protocols: ['openai-chat', 'openai-responses'],
  ways: [
    {
      name: 'key',
      title: 'API key',
      env: 'AZURE_OPENAI_API_KEY',
      auth: { kind: 'static', header: 'api-key' },
    },
    {
      name: 'client-secret',
      title: 'Client secret of an app registration',
      auth: { kind: 'azure', tenant_id: '{tenant_id}', client_id: '{client_id}' },
      fields: AZURE_APP_FIELDS,
    },
    {
      name: 'ambient',
      title: 'The identity of the gateway (workload or managed identity)',
      auth: { kind: 'azure' },
      secret: 'ambient',
    },
  ],
  key_page: 'https://portal.azure.com',
  price_page: 'https://azure.microsoft.com/pricing/details/cognitive-services/openai-service/',
  note: 'The name of a model is the name of its deployment.',
  models: listModels(SOURCE, [
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
    toModel('gpt-5.2', 400_000, 128_000, { input: 1_750_000, cache_read: 125_000, output: 14_000_000 }),
    toModel('gpt-5.1', 272_000, 128_000, { input: 1_250_000, cache_read: 125_000, output: 10_000_000 }),
    toModel('gpt-5', 272_000, 128_000, { input: 1_250_000, cache_read: 130_000, output: 10_000_000 }),
    toModel('gpt-5-mini', 272_000, 128_000, { input: 250_000, cache_read: 30_000, output: 2_000_000 }),
    toModel('gpt-5-nano', 272_000, 128_000, { input: 50_000, cache_read: 10_000, output: 400_000 }),
    toModel('gpt-4.1', 1_047_576, 32_768, { input: 2_000_000, cache_read: 500_000, output: 8_000_000 }),
    toModel('gpt-4.1-mini', 1_047_576, 32_768, { input: 400_000, cache_read: 100_000, output: 1_600_000 }),
    toModel('gpt-4o', 128_000, 16_384, { input: 2_500_000, cache_read: 1_250_000, output: 10_000_000 }),
    toModel('gpt-4o-mini', 128_000, 16_384, { input: 150_000, cache_read: 75_000, output: 600_000 }),
    toModel('o3', 200_000, 100_000, { input: 2_000_000, cache_read: 500_000, output: 8_000_000 }),
    toModel('o4-mini', 200_000, 100_000, { input: 1_100_000, cache_read: 275_000, output: 4_400_000 }),
  ]),
};
