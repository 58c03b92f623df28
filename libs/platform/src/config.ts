import { z } from 'zod';
import { metricsConfigShape } from './metrics-access.ts';
import { parseRedisUrl } from './redis-url.ts';

/** The environment does not describe a service that could run; the message lists every variable that is wrong. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads a service's configuration from environment variables, once, at start.
 *
 * @throws ConfigError naming every missing or malformed variable; values are not shown, they may be secrets.
 */
export function loadConfig<T extends z.ZodObject>(
  schema: T,
  env: Record<string, string | undefined> = process.env,
): z.infer<T> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new ConfigError(`The configuration is not complete:\n${wrong.join('\n')}`);
}

/** A TCP or HTTP port number; 0 asks the system for a free one. */
export const port = z.coerce.number().int().min(0).max(65_535);

/** The address of a Redis: one server, a cluster, or what Sentinels watch. */
export const redisUrl = z.string().refine((text) => parseRedisUrl(text) !== undefined, {
  error:
    'must be redis://host:port, redis-cluster://host:port,host:port or redis-sentinel://host:port,host:port/name',
});

/** A `postgres://` address. */
export const databaseUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' });

/** A `tcp://host:port` address of another service's microservice listener. */
export const tcpUrl = z.url({ protocol: /^tcp$/, error: 'must be a tcp://host:port address' });

/** An `http://` or `https://` address without a trailing slash. */
export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
  .transform((url) => url.replace(/\/+$/, ''));

/** What every service reads. */
export const serviceConfigSchema = z.object({
  HOST: z.string().default('127.0.0.1').describe('Address to listen on; `0.0.0.0` in a container'),
  PORT: port.describe('HTTP port; `0` takes any free one'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('The least severe messages that are logged'),
  SHUTDOWN_GRACE_S: z.coerce
    .number()
    .int()
    .min(0)
    .default(30)
    .describe('Seconds that requests in flight may take after SIGTERM'),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((entry) => entry.trim())
        .filter(Boolean),
    )
    .describe('Addresses or CIDR ranges, comma-separated, of proxies whose `X-Forwarded-For` is believed'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe('Where traces are sent to over OTLP/HTTP; without it there are none'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('The share of traces that is taken, 0 to 1'),
  ...metricsConfigShape,
});
export type ServiceConfig = z.infer<typeof serviceConfigSchema>;
