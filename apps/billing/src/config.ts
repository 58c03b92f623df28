import { databaseUrl, port, redisUrl, serviceConfigSchema, tcpUrl } from '@tollgate/platform';
import { z } from 'zod';
import { exportConfigShape } from './exports/export-config.ts';
import { oidcConfigShape } from './oidc/oidc-config.ts';

export const billingConfigSchema = serviceConfigSchema.extend({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  /** The microservice listener that gateways ask for keys and pricing for sessions. */
  TCP_PORT: port,
  PRICING_TCP_URL: tcpUrl,
  /** Signs session cookies. */
  SESSION_SECRET: z.string().min(32, 'must have at least 32 characters'),
  /** Jobs of the usage queue in hand at a time; they are posted together. */
  WORKER_CONCURRENCY: z.coerce.number().int().min(1).max(256).default(32),
  /** Days after its end when a period closes by itself; `never` leaves it to people. */
  PERIOD_CLOSE_AFTER_DAYS: z.union([z.literal('never'), z.coerce.number().int().min(0).max(366)]).default(3),
  /** Whoever shows it makes the first owner; without it billing makes one and writes it to its log. */
  SETUP_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  ...oidcConfigShape,
  ...exportConfigShape,
});
export type BillingConfig = z.infer<typeof billingConfigSchema>;
