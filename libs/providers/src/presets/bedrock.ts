import { AWS_REGION } from './aws-region.ts';
import { listModels, toModel } from '../list-models.ts';
import { offerModels } from '../offer-models.ts';
import type { Provider } from '../provider.ts';
import { anthropic } from './anthropic.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/amazon-bedrock/models',
  date: '2026-07-02',
};
const OTHER_SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/anthropic.yml',
  date: '2026-08-21',
};

export const bedrock: Provider = {
  name: 'bedrock',
  vendor: 'aws',
  title: 'AWS Bedrock, all models (Converse)',
  base_url: 'https://bedrock-runtime.{region}.amazonaws.com',
  fields: [AWS_REGION],
  model_lists: [
    'https://bedrock.{region}.amazonaws.com/foundation-models',
    'https://bedrock.{region}.amazonaws.com/inference-profiles?maxResults=1000',
  ],
  protocols: ['bedrock-converse'],
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
      toModel('amazon.nova-2-lite-v1:0', 128_000, 4_096, { input: 330_000, output: 2_750_000 }),
      toModel('amazon.nova-pro-v1:0', 300_000, 8_192, {
        input: 800_000,
        cache_read: 200_000,
        output: 3_200_000,
      }),
      toModel('amazon.nova-lite-v1:0', 300_000, 8_192, {
        input: 60_000,
        cache_read: 15_000,
        output: 240_000,
      }),
      toModel('amazon.nova-micro-v1:0', 128_000, 8_192, {
        input: 35_000,
        cache_read: 8_750,
        output: 140_000,
      }),
      toModel('us.meta.llama4-maverick-17b-instruct-v1:0', 1_000_000, 16_384, {
        input: 240_000,
        output: 970_000,
      }),
      toModel('meta.llama3-3-70b-instruct-v1:0', 128_000, 4_096, { input: 720_000, output: 720_000 }),
      toModel('mistral.mistral-large-3-675b-instruct', 256_000, 8_192, { input: 500_000, output: 1_500_000 }),
      toModel('deepseek.v3.2', 163_840, 81_920, { input: 620_000, output: 1_850_000 }),
      toModel('qwen.qwen3-235b-a22b-2507-v1:0', 262_144, 131_072, { input: 220_000, output: 880_000 }),
      toModel('moonshotai.kimi-k2.5', 262_143, 16_000, { input: 600_000, output: 3_000_000 }),
      toModel('minimax.minimax-m2.5', 196_608, 98_304, { input: 300_000, output: 1_200_000 }),
      toModel('openai.gpt-oss-120b-1:0', 128_000, 16_384, { input: 150_000, output: 600_000 }),
    ]),
    ...offerModels(anthropic.models, SOURCE, {
      'claude-haiku-4-5': { upstream_name: 'global.anthropic.claude-haiku-4-5-20251001-v1:0' },
    }),
    ...offerModels(anthropic.models, OTHER_SOURCE, {
      'claude-sonnet-5': { upstream_name: 'global.anthropic.claude-sonnet-5' },
    }),
  ],
};
