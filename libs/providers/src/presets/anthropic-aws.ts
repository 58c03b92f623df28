import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

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
    {
      name: 'region',
      title: 'AWS region',
      example: 'us-east-1',
      env: 'AWS_REGION',
      pattern: '^[a-z]{2}(?:-[a-z]+)+-\\d$',
    },
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
  models: listModels(SOURCE, [
    toModel('claude-opus-5', 1_000_000, null, {
      input: 5_000_000,
      cache_read: 500_000,
      cache_write: 6_250_000,
      cache_write_1h: 10_000_000,
      output: 25_000_000,
    }),
    toModel('claude-sonnet-5', 1_000_000, 128_000, {
      input: 3_000_000,
      cache_read: 300_000,
      cache_write: 3_750_000,
      cache_write_1h: 6_000_000,
      output: 15_000_000,
    }),
    toModel('claude-opus-4-8', 1_000_000, 128_000, {
      input: 5_000_000,
      cache_read: 500_000,
      cache_write: 6_250_000,
      cache_write_1h: 10_000_000,
      output: 25_000_000,
    }),
    toModel('claude-sonnet-4-6', 1_000_000, 64_000, {
      input: 3_000_000,
      cache_read: 300_000,
      cache_write: 3_750_000,
      cache_write_1h: 6_000_000,
      output: 15_000_000,
    }),
    toModel('claude-haiku-4-5', 200_000, 64_000, {
      input: 1_000_000,
      cache_read: 100_000,
      cache_write: 1_250_000,
      cache_write_1h: 2_000_000,
      output: 5_000_000,
    }),
  ]),
};
