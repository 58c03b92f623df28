import { databaseUrl, port, redisUrl, serviceConfigSchema, tcpUrl } from '@tollgate/platform';
import { z } from 'zod';

export const billingConfigSchema = serviceConfigSchema.extend({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  /** The microservice listener that gateways ask for keys and pricing for sessions. */
  TCP_PORT: port,
  PRICING_TCP_URL: tcpUrl,
  /** Signs session cookies. */
  SESSION_SECRET: z.string().min(32, 'must have at least 32 characters'),
  /** Jobs of the usage queue that are posted side by side. */
  WORKER_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(8),
});
export type BillingConfig = z.infer<typeof billingConfigSchema>;
