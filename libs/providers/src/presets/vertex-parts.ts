import type { CredentialWay, ProviderField, ProviderVariable } from '../provider.ts';

export const VERTEX_FIELDS: readonly ProviderField[] = [
  {
    name: 'project',
    title: 'Google Cloud project',
    example: 'acme-prod',
    env: 'GOOGLE_CLOUD_PROJECT',
    pattern: '^[a-z][a-z0-9:.-]{4,99}$',
  },
  {
    name: 'location',
    title: 'Location',
    example: 'global',
    env: 'GOOGLE_CLOUD_LOCATION',
    pattern: '^[a-z0-9-]{2,40}$',
  },
];

/** Regions have a host each; three places that are none have their own. */
export const VERTEX_HOST: ProviderVariable = {
  field: 'location',
  values: {
    global: 'aiplatform.googleapis.com',
    us: 'aiplatform.us.rep.googleapis.com',
    eu: 'aiplatform.eu.rep.googleapis.com',
  },
  otherwise: '{location}-aiplatform.googleapis.com',
};

export const VERTEX_WAYS: readonly CredentialWay[] = [
  {
    name: 'service-account',
    title: 'Service account or federation (JSON)',
    auth: { kind: 'google' },
    hint: '{"type":"service_account",…}',
  },
  {
    name: 'ambient',
    title: 'The identity of the gateway (workload identity)',
    auth: { kind: 'google' },
    secret: 'ambient',
  },
];
