import type { ProviderField } from '../provider.ts';

export const AWS_REGION: ProviderField = {
  name: 'region',
  title: 'AWS region',
  example: 'us-east-1',
  env: 'AWS_REGION',
  pattern: '^[a-z]{2}(?:-[a-z]+)+-\\d$',
};
