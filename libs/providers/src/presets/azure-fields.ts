import type { ProviderField } from '../provider.ts';

/** An app registration of Entra. */
export const AZURE_APP_FIELDS: readonly ProviderField[] = [
  {
    name: 'tenant_id',
    title: 'Tenant id',
    example: 'acme.example',
    env: 'AZURE_TENANT_ID',
    pattern: '^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$',
  },
  {
    name: 'client_id',
    title: 'Client id of the app',
    example: '00000000-0000-0000-0000-000000000001',
    env: 'AZURE_CLIENT_ID',
    pattern: '^[A-Za-z0-9-]{1,64}$',
  },
];
