import { AZURE_APP_FIELDS } from './azure-fields.ts';
import { offerModels } from '../offer-models.ts';
import type { Provider } from '../provider.ts';
import { anthropic } from './anthropic.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/anthropic.yml',
  date: '2026-08-21',
};
const OTHER_SOURCE = {
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
  wrapping: { 'anthropic-messages': 'foundry' },
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
    ...offerModels(anthropic.models, SOURCE, {
      'claude-sonnet-5': {},
    }),
    ...offerModels(anthropic.models, OTHER_SOURCE, {
      'claude-fable-5': {},
      'claude-opus-4-8': {
        context_window: 200_000,
        tiers: [
          {
            above_input_tokens: 200_000,
            prices: { input: 10_000_000, cache_read: 1_000_000, cache_write: 12_500_000, output: 37_500_000 },
          },
        ],
      },
      'claude-opus-4-6': {
        context_window: 200_000,
        tiers: [
          {
            above_input_tokens: 200_000,
            prices: { input: 10_000_000, cache_read: 1_000_000, cache_write: 12_500_000, output: 37_500_000 },
          },
        ],
      },
      'claude-sonnet-4-6': {},
      'claude-haiku-4-5': {},
    }),
  ],
};
