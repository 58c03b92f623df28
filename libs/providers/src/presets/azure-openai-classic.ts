import { toChatPaths } from '../chat-paths.ts';
import { AZURE_APP_FIELDS } from './azure-fields.ts';
import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/azure/models',
  date: '2026-07-02',
};

export const azureOpenaiClassic: Provider = {
  name: 'azure-openai-classic',
  vendor: 'openai',
  title: 'Azure OpenAI, classic deployments',
  base_url: 'https://{resource}.openai.azure.com',
  fields: [
    {
      name: 'resource',
      title: 'Name of the resource',
      example: 'acme-east',
      pattern: '^[A-Za-z0-9-]{2,64}$',
    },
  ],
  protocols: ['openai-chat'],
  paths: toChatPaths(
    '/openai/deployments/{model}/chat/completions?api-version=2024-10-21',
    '/openai/models?api-version=2024-10-21',
  ),
  ways: [
    { name: 'key', title: 'API key', auth: { kind: 'static', header: 'api-key' } },
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
    toModel('gpt-4.1', 1_047_576, 32_768, { input: 2_000_000, cache_read: 500_000, output: 8_000_000 }),
    toModel('gpt-4.1-mini', 1_047_576, 32_768, { input: 400_000, cache_read: 100_000, output: 1_600_000 }),
    toModel('gpt-4o', 128_000, 16_384, { input: 2_500_000, cache_read: 1_250_000, output: 10_000_000 }),
    toModel('gpt-4o-mini', 128_000, 16_384, { input: 150_000, cache_read: 75_000, output: 600_000 }),
  ]),
};
