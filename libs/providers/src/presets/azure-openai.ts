import { AZURE_APP_FIELDS } from './azure-fields.ts';
import { offerModels } from '../offer-models.ts';
import type { Provider } from '../provider.ts';
import { openai } from './openai.ts';

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
  quirks: [
    {
      format: 'openai-chat',
      takes: { user_max: 64, refused_fields: ['prompt_cache_retention'] },
      source: 'OpenHands/software-agent-sdk#2295, theopenco/llmgateway#3110',
    },
    {
      format: 'openai-responses',
      takes: { user_max: 64 },
      source: 'vybestack/llxprt-code#2135',
    },
  ],
  models: offerModels(openai.models, SOURCE, {
    'gpt-5.5': {},
    'gpt-5.4': {},
    'gpt-5.4-mini': {},
    'gpt-5.4-nano': {},
    'gpt-5.2': { prices: { input: 1_750_000, cache_read: 125_000, output: 14_000_000 } },
    'gpt-5.1': { context_window: 272_000 },
    'gpt-5': {
      context_window: 272_000,
      prices: { input: 1_250_000, cache_read: 130_000, output: 10_000_000 },
    },
    'gpt-5-mini': {
      context_window: 272_000,
      prices: { input: 250_000, cache_read: 30_000, output: 2_000_000 },
    },
    'gpt-5-nano': { context_window: 272_000, prices: { input: 50_000, cache_read: 10_000, output: 400_000 } },
    'gpt-4.1': {},
    'gpt-4.1-mini': {},
    'gpt-4o': {},
    'gpt-4o-mini': {},
    o3: {},
    'o4-mini': {},
    'text-embedding-3-large': {},
    'text-embedding-3-small': {},
    'gpt-image-2': {},
  }),
};
