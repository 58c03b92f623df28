import {
  databaseUrl,
  httpUrl,
  migrationShape,
  port,
  redisUrl,
  sealKey,
  sealKeys,
  serviceConfigSchema,
  serviceSecretsShape,
  tcpUrl,
  wholeNumber,
} from '@tollgate/platform';
import { z } from 'zod';

export const pricingConfigSchema = serviceConfigSchema.extend({
  DATABASE_URL: databaseUrl.describe("`postgres://` of a PostgreSQL 15 or newer; may be billing's"),
  REDIS_URL: redisUrl.describe("The same Redis as the gateways'"),
  TCP_PORT: port.describe('Listener that gateways and billing ask for snapshots; for services only'),
  SEAL_KEY: sealKey.describe('Seals upstream credentials: 32 random bytes in base64; gateways have the same'),
  SEAL_KEYS_OTHER: sealKeys.describe(
    'Further keys, comma-separated, that still or already open what they sealed; see [changing the key](operations.md#changing-seal_key)',
  ),
  BILLING_TCP_URL: tcpUrl.describe("`tcp://host:port` of billing's `TCP_PORT`"),
  ...serviceSecretsShape,
  PUBLIC_REQUESTS_PER_MINUTE: wholeNumber(1)
    .default(120)
    .describe('Requests to `/api/pricing` for each client address'),
});
export type PricingConfig = z.infer<typeof pricingConfigSchema>;

/** What `seed.js` reads. */
export const pricingSeedSchema = pricingConfigSchema.pick({ REDIS_URL: true, SEAL_KEY: true }).extend({
  ...migrationShape,
  SIMULATOR_URL: httpUrl.describe('Address of the simulator that the first catalogue names'),
  SIMULATOR_SERVES: z
    .enum(['simulated', 'every'])
    .default('simulated')
    .describe(
      'Models that the simulator answers for: those that come with it, or `every` one, as tests want',
    ),
});
export type PricingSeedConfig = z.infer<typeof pricingSeedSchema>;
