import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createDatabase,
  freePort,
  type RunningPostgres,
  type RunningProcess,
  type RunningRedis,
  type RunningStack,
  type StackOptions,
  startPostgres,
  startRedis,
  startTcpProxy,
  type TcpProxy,
} from '@tollgate/harness';
import { type TestStack, signIn } from '../shared-stack.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';

/** A stack of which every part can be stopped. */
export interface FaultStack extends TestStack {
  readonly stack: RunningStack;
  readonly redis: RunningRedis;
  /** What the gateways reach Redis through. */
  readonly redisLink: TcpProxy;
  /** What billing and pricing reach PostgreSQL through. */
  readonly databaseLink: TcpProxy;
  stopDatabase(): Promise<void>;
  startDatabase(): Promise<void>;
  service(name: string): RunningProcess;
  stop(): Promise<void>;
}

export async function startFaultStack(
  options: Partial<StackOptions> & {
    readonly settings?: (service: string) => Readonly<Record<string, string>>;
  } = {},
): Promise<FaultStack> {
  const { settings = () => ({}), ...stackOptions } = options;
  const home = mkdtempSync(join(tmpdir(), 'tollgate-faults-'));
  const undo: (() => Promise<void> | void)[] = [() => rmSync(home, { recursive: true, force: true })];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const server = {
      directory: join(home, 'postgres'),
      password: 'test',
      port: await freePort(),
      durable: false,
    };
    let postgres: RunningPostgres = await startPostgres(server);
    undo.push(() => postgres.stop());
    const redis = await startRedis({ directory: join(home, 'redis') });
    undo.push(() => redis.stop());
    const redisLink = await startTcpProxy({ port: redis.port });
    undo.push(() => redisLink.stop());
    const databaseLink = await startTcpProxy({ port: server.port });
    undo.push(() => databaseLink.stop());

    const databaseUrl = await createDatabase(postgres.url, 'tollgate');
    const linked = (url: string, { port }: TcpProxy) =>
      Object.assign(new URL(url), { port: String(port) }).href;
    const stack = await startTestStack({
      home,
      port: await freePort(),
      databaseUrl,
      redisUrl: redis.url,
      ...stackOptions,
      env: async (service) => ({
        ...(service.startsWith('gateway')
          ? { REDIS_URL: linked(redis.url, redisLink) }
          : { DATABASE_URL: linked(databaseUrl, databaseLink) }),
        ...settings(service),
      }),
    });
    undo.push(() => stack.stop());
    return {
      ...stack,
      databaseUrl,
      home,
      cookie: await signIn(stack.baseUrl, testAdmin),
      stack,
      redis,
      redisLink,
      databaseLink,
      stop,
      stopDatabase: () => postgres.stop(),
      async startDatabase() {
        postgres = await startPostgres(server);
      },
      service(name) {
        const found = stack.services.get(name);
        if (!found) throw new Error(`there is no service ${name}`);
        return found.process;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
