import { AWS_REGION } from './aws-region.ts';
import { listModels, toModel } from '../list-models.ts';
import type { Provider } from '../provider.ts';

const SOURCE = {
  url: 'https://github.com/anomalyco/models.dev/tree/f3fc692/providers/amazon-bedrock/models',
  date: '2026-07-02',
};

export const bedrockOpenai: Provider = {
  name: 'bedrock-openai',
  vendor: 'openai',
  title: 'OpenAI models on AWS Bedrock',
  base_url: 'https://bedrock-runtime.{region}.amazonaws.com/openai/v1',
  fields: [AWS_REGION],
  protocols: ['openai-chat'],
  ways: [
    {
      name: 'api-key',
      title: 'Bedrock API key',
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
  models: listModels(SOURCE, [
    toModel('openai.gpt-oss-120b-1:0', 128_000, 16_384, { input: 150_000, output: 600_000 }),
    toModel('openai.gpt-oss-20b-1:0', 128_000, 16_384, { input: 70_000, output: 300_000 }),
  ]),
};
