import { join } from 'node:path';
import { httpUrl, redisUrl, sealKey, serviceConfigSchema, tcpUrl } from '@tollgate/platform';
import { z } from 'zod';

const MIB = 1024 * 1024;

export const gatewayConfigSchema = serviceConfigSchema.extend({
  REDIS_URL: redisUrl,
  /** Opens upstream credentials; the same key that pricing seals them with. */
  SEAL_KEY: sealKey,
  BILLING_TCP_URL: tcpUrl,
  PRICING_TCP_URL: tcpUrl,
  /** Where `/api` requests go when this gateway is the front door. */
  BILLING_HTTP_URL: httpUrl,
  PRICING_HTTP_URL: httpUrl,
  /** Usage events are kept here until they are in the books; a disk that outlives the process. */
  SPOOL_DIR: z.string().min(1),
  /** The address that users see, for the status route; the request's own host when it is not given. */
  PUBLIC_URL: httpUrl.optional(),
  /** The built console; without one a plain page is shown. */
  CONSOLE_DIR: z
    .string()
    .min(1)
    .default(join(import.meta.dirname, '..', '..', 'console', 'dist')),
  BODY_LIMIT_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(32 * MIB),
  /** The most an upstream's non-streaming answer may have; it is held in memory until it is whole. */
  ANSWER_LIMIT_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(64 * MIB),
  /** Seconds a client may take to send its whole request. */
  REQUEST_TIMEOUT_S: z.coerce.number().int().positive().default(60),
  /** Seconds for its head, and for the first one on a new connection. */
  HEADERS_TIMEOUT_S: z.coerce.number().int().positive().default(20),
  /** A body that comes more slowly, for more than five seconds, is given up. */
  BODY_BYTES_PER_S: z.coerce.number().int().nonnegative().default(500),
  /** Connections of one client address, but for TRUSTED_PROXIES. */
  CONNECTIONS_PER_ADDRESS: z.coerce.number().int().positive().default(10_000),
  /** Wrong API keys of one client address that are looked up. */
  WRONG_KEYS_PER_MINUTE: z.coerce.number().int().positive().default(60),
  /** Silence on a stream after which a keep-alive is sent. */
  KEEP_ALIVE_MS: z.coerce.number().int().positive().default(15_000),
  /** Seconds after SIGTERM that it goes on taking requests while `/readyz` says no. */
  DRAIN_S: z.coerce.number().min(0).default(5),
  /** How long Redis may take for one command before the gateway decides without it. */
  REDIS_TIMEOUT_MS: z.coerce.number().int().positive().default(250),
  /** How long the answer of a request with an Idempotency-Key is kept for its retries. */
  IDEMPOTENCY_TTL_S: z.coerce.number().int().positive().default(86_400),
  /** Larger answers are not kept. */
  IDEMPOTENCY_ANSWER_BYTES: z.coerce.number().int().nonnegative().default(MIB),
  /** How long a second request with the same Idempotency-Key waits for the first. */
  IDEMPOTENCY_WAIT_S: z.coerce.number().nonnegative().default(60),
  /** Requests per minute and client address to the public status route. */
  PUBLIC_REQUESTS_PER_MINUTE: z.coerce.number().int().positive().default(120),
});
export type GatewayConfig = z.infer<typeof gatewayConfigSchema>;
