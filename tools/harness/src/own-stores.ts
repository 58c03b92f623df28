import { join } from 'node:path';
import { createDatabase, startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import type { StackSecrets } from './secrets.ts';
import { copyTemplate, copyTemplateRedis, type StackTemplate } from './stack-template.ts';

export interface StoreOptions {
  /** Where data, logs and the spool are. */
  readonly home: string;
  readonly secrets: StackSecrets;
  /** Takes a copy of its database, with the secrets and the first account that are in it. */
  readonly template?: StackTemplate | undefined;
  /** A PostgreSQL or Redis that runs already is used in place of one of our own. */
  readonly databaseUrl?: string | undefined;
  readonly redisUrl?: string | undefined;
  readonly durable?: boolean;
  /** Called when a service, or a PostgreSQL or Redis of the stack's own, ended without being asked to. */
  readonly onCrash?: (name: string, how: string, afterMs: number) => void;
  readonly onStart?: (name: string, pid: number) => void;
}

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
  { onCrash, onStart }: Pick<StoreOptions, 'onCrash' | 'onStart'>,
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
  options: StoreOptions,
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
  options: StoreOptions,
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
