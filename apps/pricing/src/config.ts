import { databaseUrl, port, redisUrl, sealKey, serviceConfigSchema, tcpUrl } from '@tollgate/platform';
import { z } from 'zod';

export const pricingConfigSchema = serviceConfigSchema.extend({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  /** The microservice listener that gateways and billing ask for snapshots. */
  TCP_PORT: port,
  /** Seals upstream credentials; gateways hold the same key. */
  SEAL_KEY: sealKey,
  BILLING_TCP_URL: tcpUrl,
  /** Requests per minute and client address to `/api/pricing`. */
  PUBLIC_REQUESTS_PER_MINUTE: z.coerce.number().int().positive().default(120),
});
export type PricingConfig = z.infer<typeof pricingConfigSchema>;
