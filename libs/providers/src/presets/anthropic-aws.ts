import { AWS_REGION } from './aws-region.ts';
import { offerModels } from '../offer-models.ts';
import type { Provider } from '../provider.ts';
import { anthropic } from './anthropic.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/anthropic.yml',
  date: '2026-08-21',
};

export const anthropicAws: Provider = {
  name: 'anthropic-aws',
  vendor: 'anthropic',
  title: 'Claude Platform on AWS',
  base_url: 'https://aws-external-anthropic.{region}.api.aws',
  fields: [
    AWS_REGION,
    {
      name: 'workspace',
      title: 'Id of the Anthropic workspace',
      example: 'wrkspc_01AbCd',
      env: 'ANTHROPIC_AWS_WORKSPACE_ID',
      pattern: '^[A-Za-z0-9_-]{1,100}$',
    },
  ],
  set_headers: { 'anthropic-workspace-id': '{workspace}' },
  protocols: ['anthropic-messages'],
  ways: [
    { name: 'key', title: 'API key', env: 'ANTHROPIC_AWS_API_KEY' },
    {
      name: 'access-key',
      title: 'Access key (JSON)',
      auth: { kind: 'aws', region: '{region}', service: 'aws-external-anthropic' },
      hint: '{"access_key_id":"…","secret_access_key":"…"}',
    },
    {
      name: 'ambient',
      title: 'The identity of the gateway (IRSA, Pod Identity, instance role)',
      auth: { kind: 'aws', region: '{region}', service: 'aws-external-anthropic' },
      secret: 'ambient',
    },
  ],
  key_page: 'https://console.aws.amazon.com',
  price_page: 'https://www.anthropic.com/pricing#api',
  models: offerModels(anthropic.models, SOURCE, {
    'claude-opus-5': {},
    'claude-sonnet-5': {},
    'claude-opus-4-8': {},
    'claude-sonnet-4-6': {},
    'claude-haiku-4-5': {},
  }),
};
