import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  createDatabase,
  freePort,
  type RunningRedis,
  type RunningStack,
  startPostgres,
  startRedis,
  startStack,
} from '@tollgate/harness';
import { crashPostgres } from './crash-postgres.ts';
import type { Victim } from './schedule.ts';

export interface ChaosHouse {
  readonly stack: RunningStack;
  /** Ends a part of the house at once, and has it started again. Resolves when it is there again, or on its way. */
  kill(victim: Victim): Promise<void>;
  stop(): Promise<void>;
}

/** Two gateways, billing, pricing, the simulator, and a PostgreSQL and a Redis that keep what they are given. */
export async function startChaosHouse(home: string): Promise<ChaosHouse> {
  const settings = {
    directory: join(home, 'postgres'),
    password: randomBytes(16).toString('hex'),
    port: await freePort(),
  };
  const redisHome = join(home, 'redis');
  let postgres = await startPostgres(settings);
  const redis = await startRedis({ directory: redisHome });
  const stopServers = async () => {
    await redis.stop();
    await postgres.stop();
  };
  try {
    const stack = await startStack({
      home,
      port: await freePort(),
      secrets: {
        seal_key: randomBytes(32).toString('base64'),
        session_secret: randomBytes(32).toString('hex'),
        postgres_password: settings.password,
      },
      admin: { email: 'owner@chaos.example', password: randomBytes(16).toString('hex') },
      apiKey: 'new',
      databaseUrl: await createDatabase(postgres.url, 'tollgate'),
      redisUrl: redis.url,
      moreGateways: 1,
    });
    return {
      stack,
      async kill(victim) {
        if (victim === 'postgres') {
          await crashPostgres(settings.directory);
          postgres = await startPostgres(settings);
        } else if (victim === 'redis' || victim === 'redis with its data') {
          await crashRedis(redis, victim === 'redis' ? undefined : redisHome);
        } else stack.services.get(victim)?.process.kill();
      },
      async stop() {
        await stack.stop();
        await stopServers();
      },
    };
  } catch (error) {
    await stopServers();
    throw error;
  }
}

/** @param lost where its files are, which a disk that died took with it. */
async function crashRedis(redis: RunningRedis, lost: string | undefined): Promise<void> {
  await redis.kill();
  if (lost !== undefined) rmSync(join(lost, 'appendonlydir'), { recursive: true, force: true });
  await redis.restart();
}
