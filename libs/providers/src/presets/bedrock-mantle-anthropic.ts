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

export const bedrockMantleAnthropic: Provider = {
  name: 'bedrock-mantle-anthropic',
  vendor: 'anthropic',
  title: 'Anthropic on AWS Bedrock (mantle)',
  base_url: 'https://bedrock-mantle.{region}.api.aws/anthropic',
  fields: [AWS_REGION],
  protocols: ['anthropic-messages'],
  wrapping: { 'anthropic-messages': 'mantle' },
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
    ...offerModels(anthropic.models, SOURCE, {
      'claude-sonnet-5': { upstream_name: 'anthropic.claude-sonnet-5' },
    }),
    ...offerModels(anthropic.models, OTHER_SOURCE, {
      'claude-opus-4-8': { upstream_name: 'anthropic.claude-opus-4-8' },
      'claude-opus-4-7': { upstream_name: 'anthropic.claude-opus-4-7' },
    }),
  ],
};
