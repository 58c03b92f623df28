import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createTestDatabase,
  freePort,
  type RunningRedis,
  startRedis,
  TEST_SERVICE_SECRET,
} from '@tollgate/harness';
import { connectRedis, createLogger, loadConfig, type RunningService } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import { type PricingConfig, pricingConfigSchema } from '../src/config.ts';
import { createDataSource } from '../src/database/data-source.ts';
import { migrate } from '../src/database/migrate.ts';
import { SnapshotStore } from '../src/snapshots/snapshot-store.ts';
import { startPricing } from '../src/start.ts';

export const silent = createLogger('test', 'silent');

/** A migrated database and a Redis, each with a connection, and a store on them. */
export interface TestEnvironment {
  /** As who migrates. */
  readonly databaseUrl: string;
  /** As the service connects, with the rights that it has in production. */
  serviceDatabaseUrl(service: 'billing' | 'pricing'): string;
  readonly database: DataSource;
  readonly redisServer: RunningRedis;
  readonly redis: Redis;
  readonly store: SnapshotStore;
  stop(): Promise<void>;
}

export type Prepare = NonNullable<Parameters<typeof createTestDatabase>[0]>;

/** What databases begin as, unless they are prepared further. */
export const migrateAlone: Prepare = (url, serviceUrl) => migrate(url, serviceUrl('pricing'));

export async function startTestEnvironment(prepare: Prepare = migrateAlone): Promise<TestEnvironment> {
  const [{ url, serviceUrl, drop }, redisServer] = await Promise.all([
    createTestDatabase(prepare),
    startRedis(),
  ]);
  const database = await createDataSource(url).initialize();
  const redis = await openRedis(redisServer.url);
  return {
    databaseUrl: url,
    serviceDatabaseUrl: serviceUrl,
    database,
    redisServer,
    redis,
    store: new SnapshotStore(database, redis, silent),
    async stop() {
      redis.disconnect();
      await database.destroy();
      await redisServer.stop();
      await drop();
    },
  };
}

export async function openRedis(url: string): Promise<Redis> {
  const redis = connectRedis(url, silent, { timeoutMs: 20_000 });
  if (redis.status !== 'ready') await once(redis, 'ready');
  return redis;
}

export interface RunningPricing extends RunningService {
  readonly config: PricingConfig;
}

/** The service in this process, on the given environment. Without `BILLING_TCP_URL` nobody answers for sessions. */
export async function startPricingOn(
  { serviceDatabaseUrl, redisServer }: Pick<TestEnvironment, 'serviceDatabaseUrl' | 'redisServer'>,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningPricing> {
  const config = loadConfig(pricingConfigSchema, {
    PORT: '0',
    TCP_PORT: String(await freePort()),
    LOG_LEVEL: 'silent',
    SERVICE_SECRETS: TEST_SERVICE_SECRET,
    DATABASE_URL: serviceDatabaseUrl('pricing'),
    REDIS_URL: redisServer.url,
    SEAL_KEY: randomBytes(32).toString('base64'),
    BILLING_TCP_URL: `tcp://127.0.0.1:${await freePort()}`,
    ...env,
  });
  return { ...(await startPricing(config)), config };
}
