import { AZURE_APP_FIELDS } from './azure-fields.ts';
import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/anthropic.yml',
  date: '2026-08-21',
};
const OLDER_SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/azure/models',
  date: '2026-07-02',
};

export const azureAnthropic: Provider = {
  name: 'azure-anthropic',
  vendor: 'anthropic',
  title: 'Anthropic on Azure Foundry',
  base_url: 'https://{resource}.services.ai.azure.com/anthropic',
  fields: [
    {
      name: 'resource',
      title: 'Name of the resource',
      example: 'acme-east',
      env: 'ANTHROPIC_FOUNDRY_RESOURCE',
      pattern: '^[A-Za-z0-9-]{2,64}$',
    },
  ],
  protocols: ['anthropic-messages'],
  ways: [
    {
      name: 'key',
      title: 'API key',
      env: 'ANTHROPIC_FOUNDRY_API_KEY',
      auth: { kind: 'static', header: 'x-api-key' },
    },
    {
      name: 'client-secret',
      title: 'Client secret of an app registration',
      auth: {
        kind: 'azure',
        scope: 'https://ai.azure.com/.default',
        tenant_id: '{tenant_id}',
        client_id: '{client_id}',
      },
      fields: AZURE_APP_FIELDS,
    },
    {
      name: 'ambient',
      title: 'The identity of the gateway (workload or managed identity)',
      auth: { kind: 'azure', scope: 'https://ai.azure.com/.default' },
      secret: 'ambient',
    },
  ],
  key_page: 'https://portal.azure.com',
  price_page: 'https://azure.microsoft.com/pricing/details/ai-foundry/',
  models: [
    ...listModels(SOURCE, [
      toModel('claude-sonnet-5', 1_000_000, 128_000, {
        input: 3_000_000,
        cache_read: 300_000,
        cache_write: 3_750_000,
        cache_write_1h: 6_000_000,
        output: 15_000_000,
      }),
    ]),
    ...listModels(OLDER_SOURCE, [
      toModel('claude-fable-5', 1_000_000, 128_000, {
        input: 10_000_000,
        cache_read: 1_000_000,
        cache_write: 12_500_000,
        output: 50_000_000,
      }),
      toModel(
        'claude-opus-4-8',
        200_000,
        null,
        { input: 5_000_000, cache_read: 500_000, cache_write: 6_250_000, output: 25_000_000 },
        {
          tiers: [
            {
              above_input_tokens: 200_000,
              prices: {
                input: 10_000_000,
                cache_read: 1_000_000,
                cache_write: 12_500_000,
                output: 37_500_000,
              },
            },
          ],
        },
      ),
      toModel(
        'claude-opus-4-6',
        200_000,
        128_000,
        { input: 5_000_000, cache_read: 500_000, cache_write: 6_250_000, output: 25_000_000 },
        {
          tiers: [
            {
              above_input_tokens: 200_000,
              prices: {
                input: 10_000_000,
                cache_read: 1_000_000,
                cache_write: 12_500_000,
                output: 37_500_000,
              },
            },
          ],
        },
      ),
      toModel('claude-sonnet-4-6', 1_000_000, 64_000, {
        input: 3_000_000,
        cache_read: 300_000,
        cache_write: 3_750_000,
        output: 15_000_000,
      }),
      toModel('claude-haiku-4-5', 200_000, 64_000, {
        input: 1_000_000,
        cache_read: 100_000,
        cache_write: 1_250_000,
        output: 5_000_000,
      }),
    ]),
  ],
};
