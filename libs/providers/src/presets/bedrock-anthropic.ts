import { AWS_REGION } from './aws-region.ts';
import { offerModels } from '../offer-models.ts';
import type { Provider } from '../provider.ts';
import { anthropic } from './anthropic.ts';

const SOURCE = {
  url: 'https://github.com/pydantic/genai-prices/blob/47df840/prices/providers/anthropic.yml',
  date: '2026-08-21',
};
const OTHER_SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/amazon-bedrock/models',
  date: '2026-07-02',
};

export const bedrockAnthropic: Provider = {
  name: 'bedrock-anthropic',
  vendor: 'anthropic',
  title: 'Anthropic on AWS Bedrock',
  base_url: 'https://bedrock-runtime.{region}.amazonaws.com',
  fields: [AWS_REGION],
  model_lists: [
    'https://bedrock.{region}.amazonaws.com/foundation-models?byProvider=anthropic',
    'https://bedrock.{region}.amazonaws.com/inference-profiles?maxResults=1000',
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
    ...offerModels(anthropic.models, SOURCE, {
      'claude-sonnet-5': { upstream_name: 'global.anthropic.claude-sonnet-5' },
    }),
    ...offerModels(anthropic.models, OTHER_SOURCE, {
      'claude-fable-5': { upstream_name: 'global.anthropic.claude-fable-5' },
      'claude-opus-4-8': { upstream_name: 'global.anthropic.claude-opus-4-8' },
      'claude-opus-4-7': { upstream_name: 'global.anthropic.claude-opus-4-7' },
      'claude-opus-4-6': { upstream_name: 'global.anthropic.claude-opus-4-6-v1' },
      'claude-sonnet-4-6': { upstream_name: 'global.anthropic.claude-sonnet-4-6' },
      'claude-haiku-4-5': { upstream_name: 'global.anthropic.claude-haiku-4-5-20251001-v1:0' },
      'claude-sonnet-4-5': { upstream_name: 'global.anthropic.claude-sonnet-4-5-20250929-v1:0', tiers: [] },
    }),
  ],
};
