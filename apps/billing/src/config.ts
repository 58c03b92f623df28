import {
  ConfigError,
  databaseUrl,
  loadConfig,
  migrationShape,
  port,
  redisUrl,
  serviceConfigSchema,
  serviceSecretsShape,
  splitAtCommas,
  tcpUrl,
  wholeNumber,
} from '@tollgate/platform';
import { z } from 'zod';
import { isCommonPassword } from './auth/common-passwords.ts';
import { sessionConfigShape } from './auth/session-policy.ts';
import { exportConfigShape } from './exports/export-config.ts';
import { factorConfigShape } from './factors/factor-config.ts';
import { oidcConfigShape } from './oidc/oidc-config.ts';

export const billingConfigSchema = serviceConfigSchema.extend({
  DATABASE_URL: databaseUrl.describe('`postgres://` of a PostgreSQL 15 or newer'),
  DATABASE_READ_URL: databaseUrl.optional().meta({
    description:
      'A replica of that PostgreSQL: exports and full audits read there once it has the journal up to their watermark, and from the primary where it does not within 10 seconds',
    default_text: 'the primary',
  }),
  REDIS_URL: redisUrl.describe("The same Redis as the gateways'"),
  TCP_PORT: port.describe('Listener that gateways ask for keys and pricing for sessions; for services only'),
  PRICING_TCP_URL: tcpUrl.describe("`tcp://host:port` of pricing's `TCP_PORT`"),
  ...serviceSecretsShape,
  SESSION_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters')
    .describe('Signs session cookies; at least 32 characters'),
  WORKER_CONCURRENCY: wholeNumber(1, 256)
    .default(40)
    .describe('Jobs of each usage queue in hand at a time; they are posted together'),
  REQUEST_LOG_DAYS: wholeNumber(1, 366)
    .default(30)
    .describe('Days that requests without a charge are kept in the log, and counts of them'),
  PERIOD_CLOSE_AFTER_DAYS: z
    .union([z.literal('never'), wholeNumber(0, 366)])
    .default(3)
    .describe('Days after its end when a month closes by itself; `never` leaves it to people'),
  SETUP_TOKEN: z
    .string()
    .min(16, 'must have at least 16 characters')
    .optional()
    .describe(
      'Whoever shows it makes the first owner; without it billing makes one and writes it to its log',
    ),
  DEFAULT_GROUPS: z
    .string()
    .default('default')
    .transform(splitAtCommas)
    .refine((groups) => groups.length > 0, 'must name a group')
    .describe(
      'Groups that people may put their keys in where operators allowed an account no others, comma-separated',
    ),
  KEYS_PER_ACCOUNT: wholeNumber(0)
    .default(500)
    .describe('Keys that an account may have at a time where operators allowed it no other number'),
  BACKGROUND_JOBS_PER_KEY: wholeNumber(0)
    .default(20)
    .describe('Answers that may go on at vendors at once, after their requests, for one key'),
  BACKGROUND_JOBS_PER_ACCOUNT: wholeNumber(0).default(100).describe('The same for one account'),
  ...sessionConfigShape,
  ...factorConfigShape,
  ...oidcConfigShape,
  ...exportConfigShape,
});
export type BillingConfig = z.infer<typeof billingConfigSchema>;

/** What `seed.js` reads. */
export const billingSeedSchema = z.object({
  ...migrationShape,
  SEED_ACCOUNT_NAME: z.string().min(1).default('First account').describe('Name of the first account'),
  SEED_ADMIN_EMAIL: z.email().describe('E-mail address of its owner'),
  SEED_ADMIN_PASSWORD: z
    .string()
    .min(12, 'must have at least 12 characters')
    .describe("The owner's password; at least 12 characters, none that is easily guessed"),
  SEED_API_KEY: z.string().default('new').meta({
    description: 'A key of an earlier seeding, which is kept while it is there; else a new one is made',
    default_text: 'a new key',
  }),
});

/**
 * Reads what `seed.js` reads from environment variables.
 *
 * @throws ConfigError naming every missing or malformed variable, or the password where it is easily guessed.
 */
export async function loadSeedConfig(
  env: Record<string, string | undefined> = process.env,
): Promise<z.infer<typeof billingSeedSchema>> {
  const config = loadConfig(billingSeedSchema, env);
  if (await isCommonPassword(config.SEED_ADMIN_PASSWORD))
    throw new ConfigError('SEED_ADMIN_PASSWORD: is easily guessed: take another one');
  return config;
}
