import { once } from 'node:events';
import { createTestDatabase, type RunningRedis, startRedis } from '@tollgate/harness';
import { hash } from '@node-rs/argon2';
import { connectRedis, createLogger } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import { type FirstAccount, seedFirstAccount } from '../src/accounts/first-account.ts';
import { createDataSource } from '../src/database/data-source.ts';
import { migrate } from '../src/database/migrate.ts';

export const silent = createLogger('test', 'silent');
export const PASSWORD = 'a long enough password';
/**
 * What is stored of it for people that tests begin with. Whoever signs in works it out again, which is made as cheap as it
 * can be; auth.controller.spec.ts says what it costs otherwise.
 */
export const PASSWORD_HASH = await hash(PASSWORD, { memoryCost: 8, timeCost: 1 });

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

export type Prepare = NonNullable<Parameters<typeof createTestDatabase>[0]>;

/** What the databases of a deployment that nobody owns yet begin as. */
export const migrateAlone: Prepare = (url, serviceUrl) => migrate(url, serviceUrl('billing'));

/** The first accounts of prepared databases, by their ids. */
const firstAccounts = new Map<string, FirstAccount>();
export const migrateAndSeed: Prepare = async (url) => {
  const database = await createDataSource(url).initialize();
  const first = await seedFirstAccount(database, {
    accountName: 'First account',
    email: 'Owner@billing.example',
    password: PASSWORD,
  });
  firstAccounts.set(first.accountId, first);
  await database.query('UPDATE billing.app_user SET password_hash = $1', [PASSWORD_HASH]);
  await database.destroy();
};
migrateAndSeed.after = migrateAlone;

/** @param prepare what the database has been through: that of `migrateAndSeed` at least. */
export async function startTestEnvironment(prepare: Prepare = migrateAndSeed): Promise<TestEnvironment> {
  const [{ url, serviceUrl, drop }, redisServer] = await Promise.all([
    createTestDatabase(prepare),
    startRedis(),
  ]);
  const database = await createDataSource(url).initialize();
  const [account]: { id: string }[] = await database.query('SELECT id FROM billing.account');
  const first = firstAccounts.get(account?.id ?? '');
  if (!first) throw new Error('a prepared database has no first account');
  const redis = await openRedis(redisServer.url);
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
  const redis = connectRedis(url, silent, { timeoutMs: 20_000 });
  if (redis.status !== 'ready') await once(redis, 'ready');
  return redis;
}
