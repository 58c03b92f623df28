// Writes the OpenAPI document that the console's client is generated from: `nx generate console`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '@tollgate/api';
import { describeApi } from '@tollgate/api/openapi';

const folder = join(import.meta.dirname, '.openapi');
const document = describeApi(
  { title: 'Tollgate', description: 'Billing and pricing, which the gateway serves at one address.' },
  { ...SERVICES.billing.resources, ...SERVICES.pricing.resources },
);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'console.json'), `${JSON.stringify(document, null, 2)}\n`);
