import { join } from 'node:path';
import { createDatabase, startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import type { StackOptions } from './stack.ts';
import { copyTemplate, copyTemplateRedis } from './stack-template.ts';

/** From the end of a store, as a file or a port that it had may not be free at once. */
const RESTART_MS = 1_000;

interface Store {
  readonly url: string;
  readonly pid: () => number;
  stop(): Promise<void>;
}

/** A store that ends without being asked is started again from its files, as the services are. */
async function keepUp<S extends Store>(
  name: string,
  { onCrash, onStart }: Pick<StackOptions, 'onCrash' | 'onStart'>,
  start: (onEnd: (how: string) => void) => Promise<S>,
): Promise<Store> {
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  let store: S;
  let starting: Promise<void> = Promise.resolve();
  const startAgain = (how: string) => {
    if (stopping) return;
    onCrash?.(name, how, RESTART_MS);
    timer = setTimeout(() => {
      starting = start(startAgain).then(
        (started) => {
          store = started;
          onStart?.(name, started.pid());
        },
        (error: Error) => startAgain(error.message),
      );
    }, RESTART_MS);
  };
  store = await start(startAgain);
  return {
    url: store.url,
    pid: () => store.pid(),
    async stop() {
      stopping = true;
      clearTimeout(timer);
      await starting;
      await store.stop();
    },
  };
}

/** The address of the stack's own database, or of the one that it was given. */
export async function ownDatabase(
  options: StackOptions,
  port: number | undefined,
  undo: (() => Promise<void>)[],
): Promise<string> {
  if (options.databaseUrl) return options.databaseUrl;
  if (options.template) await copyTemplate(options.template, options.home);
  const postgres = await keepUp('PostgreSQL', options, (onEnd) =>
    startPostgres({
      directory: join(options.home, 'postgres'),
      password: options.secrets.postgres_password,
      ...(port === undefined ? {} : { port }),
      ...(options.durable === undefined ? {} : { durable: options.durable }),
      onEnd,
    }),
  );
  undo.push(() => postgres.stop());
  return createDatabase(postgres.url, 'tollgate');
}

/** The address of the stack's own Redis, or of the one that it was given. */
export async function ownRedis(
  options: StackOptions,
  port: number | undefined,
  undo: (() => Promise<void>)[],
): Promise<string> {
  if (options.redisUrl) return options.redisUrl;
  if (options.template) await copyTemplateRedis(options.template, options.home);
  const redis = await keepUp('Redis', options, (onEnd) =>
    startRedis({
      directory: join(options.home, 'redis'),
      password: options.secrets.redis_password,
      ...(port === undefined ? {} : { port }),
      onEnd,
    }),
  );
  undo.push(() => redis.stop());
  return redis.url;
}
