import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/anthropic.yml',
  date: '2026-08-21',
};
const OLDER_SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/amazon-bedrock/models',
  date: '2026-07-02',
};

export const bedrockMantleAnthropic: Provider = {
  name: 'bedrock-mantle-anthropic',
  vendor: 'anthropic',
  title: 'Anthropic on AWS Bedrock (mantle)',
  base_url: 'https://bedrock-mantle.{region}.api.aws/anthropic',
  fields: [
    {
      name: 'region',
      title: 'AWS region',
      example: 'us-east-1',
      env: 'AWS_REGION',
      pattern: '^[a-z]{2}(?:-[a-z]+)+-\\d$',
    },
  ],
  protocols: ['anthropic-messages'],
  ways: [
    {
      name: 'api-key',
      title: 'Bedrock API key',
      auth: { kind: 'static', header: 'authorization', prefix: 'Bearer ' },
    },
    {
      name: 'access-key',
      title: 'Access key (JSON)',
      auth: { kind: 'aws', region: '{region}', service: 'bedrock-mantle' },
      hint: '{"access_key_id":"…","secret_access_key":"…"}',
    },
    {
      name: 'ambient',
      title: 'The identity of the gateway (IRSA, Pod Identity, instance role)',
      auth: { kind: 'aws', region: '{region}', service: 'bedrock-mantle' },
      secret: 'ambient',
    },
  ],
  key_page: 'https://console.aws.amazon.com/bedrock/home#/api-keys',
  price_page: 'https://aws.amazon.com/bedrock/pricing/',
  models: [
    ...listModels(SOURCE, [
      toModel(
        'claude-sonnet-5',
        1_000_000,
        128_000,
        {
          input: 3_000_000,
          cache_read: 300_000,
          cache_write: 3_750_000,
          cache_write_1h: 6_000_000,
          output: 15_000_000,
        },
        { upstream_name: 'anthropic.claude-sonnet-5' },
      ),
    ]),
    ...listModels(OLDER_SOURCE, [
      toModel(
        'claude-opus-4-8',
        1_000_000,
        128_000,
        { input: 5_000_000, cache_read: 500_000, cache_write: 6_250_000, output: 25_000_000 },
        { upstream_name: 'anthropic.claude-opus-4-8' },
      ),
      toModel(
        'claude-opus-4-7',
        1_000_000,
        128_000,
        { input: 5_000_000, cache_read: 500_000, cache_write: 6_250_000, output: 25_000_000 },
        { upstream_name: 'anthropic.claude-opus-4-7' },
      ),
    ]),
  ],
};
