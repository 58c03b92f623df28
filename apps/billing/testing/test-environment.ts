import { once } from 'node:events';
import { createTestDatabase, type RunningRedis, startRedis } from '@tollgate/harness';
import { connectRedis, createLogger } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import { type FirstAccount, seedFirstAccount } from '../src/accounts/first-account.ts';
import { createDataSource } from '../src/database/data-source.ts';
import { migrate } from '../src/database/migrate.ts';

export const silent = createLogger('test', 'silent');
export const PASSWORD = 'a long enough password';

/** A migrated database with the first account, and a Redis, each with a connection. */
export interface TestEnvironment {
  /** As who migrates. */
  readonly databaseUrl: string;
  /** As the service connects, with the rights that it has in production. */
  serviceDatabaseUrl(service: 'billing' | 'pricing'): string;
  readonly database: DataSource;
  readonly redisServer: RunningRedis;
  readonly redis: Redis;
  readonly first: FirstAccount;
  stop(): Promise<void>;
}

/** What all environments of a worker begin as. */
const migrateAlone = (url: string): Promise<void> => migrate(url);

export async function startTestEnvironment(): Promise<TestEnvironment> {
  const [{ url, serviceUrl, drop }, redisServer] = await Promise.all([
    createTestDatabase(migrateAlone),
    startRedis(),
  ]);
  // There is nothing left to migrate: it makes the role of the service.
  await migrate(url, serviceUrl('billing'));
  const database = await createDataSource(url).initialize();
  const redis = await openRedis(redisServer.url);
  const first = await seedFirstAccount(database, {
    accountName: 'First account',
    email: 'Owner@billing.example',
    password: PASSWORD,
  });
  return {
    databaseUrl: url,
    serviceDatabaseUrl: serviceUrl,
    database,
    redisServer,
    redis,
    first,
    async stop() {
      redis.disconnect();
      await database.destroy();
      await redisServer.stop();
      await drop();
    },
  };
}

export async function openRedis(url: string): Promise<Redis> {
  const redis = connectRedis(url, silent);
  if (redis.status !== 'ready') await once(redis, 'ready');
  return redis;
}
