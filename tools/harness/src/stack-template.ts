import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './ports.ts';
import { createDatabase, startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import { newStackSecrets, type StackSecrets } from './secrets.ts';
import { type FirstAdmin, type Seeded, seedStack } from './seed-stack.ts';

/**
 * The data of PostgreSQL and Redis as a first start leaves them. Stacks that start from a copy of it need neither make a server nor
 * run a migration: several seconds of a processor each.
 */
export interface StackTemplate extends Seeded {
  readonly directory: string;
  readonly secrets: StackSecrets;
  readonly admin: FirstAdmin;
  /** The prices name the simulator by it, so a stack that is copied listens there too. */
  readonly simulatorPort: number;
}

/** Makes one in a directory that is not there yet. */
export async function makeStackTemplate(directory: string, admin: FirstAdmin): Promise<StackTemplate> {
  const secrets = newStackSecrets();
  const simulatorPort = await freePort();
  const [postgres, redis] = await Promise.all([
    startPostgres({ directory, password: secrets.postgres_password, durable: false }),
    startRedis({ directory: toRedisDirectory(directory) }),
  ]);
  try {
    const seeded = await seedStack(
      { secrets, admin, apiKey: 'new', simulatorServes: 'every' },
      {
        databaseUrl: await createDatabase(postgres.url, 'tollgate'),
        redisUrl: redis.url,
        simulatorUrl: `http://127.0.0.1:${simulatorPort}`,
      },
    );
    return { ...seeded, directory, secrets, admin, simulatorPort };
  } finally {
    await Promise.all([postgres.stop(), redis.stop()]);
  }
}

const toRedisDirectory = (directory: string): string => `${directory}-redis`;

/** Puts a copy where a stack of that home has its PostgreSQL. */
export async function copyTemplate({ directory }: StackTemplate, home: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', directory, join(home, 'postgres')]);
}

/** The same for its Redis: to pricing, one that knows no version looks as if it had been lost. */
export async function copyTemplateRedis({ directory }: StackTemplate, home: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', toRedisDirectory(directory), join(home, 'redis')]);
}
