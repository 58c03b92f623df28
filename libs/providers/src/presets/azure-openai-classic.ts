import { toChatPaths } from '../chat-paths.ts';
import { AZURE_APP_FIELDS } from './azure-fields.ts';
import { offerModels } from '../offer-models.ts';
import type { Provider } from '../provider.ts';
import { openai } from './openai.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/azure/models',
  date: '2026-07-02',
};

/** What the last stable version lacks. */
const PREVIEW = '2025-04-01-preview';
const toPath = (operation: string, version = '2024-10-21') =>
  `/openai/deployments/{model}/${operation}?api-version=${version}`;

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
  paths: toChatPaths(toPath('chat/completions'), '/openai/models?api-version=2024-10-21', {
    embed: toPath('embeddings'),
    complete: toPath('completions'),
    draw: toPath('images/generations'),
    edit: toPath('images/edits', PREVIEW),
    transcribe: toPath('audio/transcriptions'),
    translate: toPath('audio/translations'),
    speak: toPath('audio/speech', PREVIEW),
  }),
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
  quirks: [
    {
      format: 'openai-chat',
      takes: {
        limit_field: 'max_tokens',
        max_stops: 4,
        refused_fields: [
          'store',
          'metadata',
          'service_tier',
          'reasoning_effort',
          'verbosity',
          'prediction',
          'modalities',
          'audio',
          'safety_identifier',
          'prompt_cache_key',
          'prompt_cache_retention',
        ],
      },
      source: 'Azure/azure-rest-api-specs AzureOpenAI/inference/stable/2024-10-21: fields that it lacks',
    },
  ],
  models: offerModels(openai.models, SOURCE, {
    'gpt-4.1': {},
    'gpt-4.1-mini': {},
    'gpt-4o': {},
    'gpt-4o-mini': {},
    'text-embedding-3-large': {},
    'text-embedding-3-small': {},
    'gpt-image-2': {},
  }),
};
