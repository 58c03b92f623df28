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

export const bedrockAnthropic: Provider = {
  name: 'bedrock-anthropic',
  vendor: 'anthropic',
  title: 'Anthropic on AWS Bedrock',
  base_url: 'https://bedrock-runtime.{region}.amazonaws.com',
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
  wrapping: { 'anthropic-messages': 'bedrock' },
  ways: [
    {
      name: 'api-key',
      title: 'Bedrock API key',
      env: 'AWS_BEARER_TOKEN_BEDROCK',
      auth: { kind: 'static', header: 'authorization', prefix: 'Bearer ' },
    },
    {
      name: 'access-key',
      title: 'Access key (JSON)',
      auth: { kind: 'aws', region: '{region}' },
      hint: '{"access_key_id":"…","secret_access_key":"…"}',
    },
    {
      name: 'ambient',
      title: 'The identity of the gateway (IRSA, Pod Identity, instance role)',
      auth: { kind: 'aws', region: '{region}' },
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
        { upstream_name: 'global.anthropic.claude-sonnet-5' },
      ),
    ]),
    ...listModels(OLDER_SOURCE, [
      toModel(
        'claude-fable-5',
        1_000_000,
        128_000,
        { input: 10_000_000, cache_read: 1_000_000, cache_write: 12_500_000, output: 50_000_000 },
        { upstream_name: 'global.anthropic.claude-fable-5' },
      ),
      toModel(
        'claude-opus-4-8',
        1_000_000,
        128_000,
        { input: 5_000_000, cache_read: 500_000, cache_write: 6_250_000, output: 25_000_000 },
        { upstream_name: 'global.anthropic.claude-opus-4-8' },
      ),
      toModel(
        'claude-opus-4-7',
        1_000_000,
        128_000,
        { input: 5_000_000, cache_read: 500_000, cache_write: 6_250_000, output: 25_000_000 },
        { upstream_name: 'global.anthropic.claude-opus-4-7' },
      ),
      toModel(
        'claude-opus-4-6',
        1_000_000,
        128_000,
        { input: 5_000_000, cache_read: 500_000, cache_write: 6_250_000, output: 25_000_000 },
        { upstream_name: 'global.anthropic.claude-opus-4-6-v1' },
      ),
      toModel(
        'claude-sonnet-4-6',
        1_000_000,
        64_000,
        { input: 3_000_000, cache_read: 300_000, cache_write: 3_750_000, output: 15_000_000 },
        { upstream_name: 'global.anthropic.claude-sonnet-4-6' },
      ),
      toModel(
        'claude-haiku-4-5',
        200_000,
        64_000,
        { input: 1_000_000, cache_read: 100_000, cache_write: 1_250_000, output: 5_000_000 },
        { upstream_name: 'global.anthropic.claude-haiku-4-5-20251001-v1:0' },
      ),
      toModel(
        'claude-sonnet-4-5',
        200_000,
        64_000,
        { input: 3_000_000, cache_read: 300_000, cache_write: 3_750_000, output: 15_000_000 },
        { upstream_name: 'global.anthropic.claude-sonnet-4-5-20250929-v1:0' },
      ),
    ]),
  ],
};
