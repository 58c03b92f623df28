import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { redisCall } from './redis-call.ts';
import { type RunningRedis, startRedis } from './redis.ts';
import { waitFor } from './wait-for.ts';

export interface RunningSentinels {
  /** `redis-sentinel://…/tollgate`. */
  readonly url: string;
  readonly servers: readonly [RunningRedis, RunningRedis];
  /** The server that the Sentinels name at the moment. */
  master(): Promise<RunningRedis>;
  stop(): Promise<void>;
}

const NAME = 'tollgate';
const SENTINELS = 3;
/** A master that is silent for so long is replaced. */
const DOWN_AFTER_MS = 1_000;

/** Starts a master, a replica and three Sentinels on the loopback address that keep nothing. */
export async function startRedisSentinels(): Promise<RunningSentinels> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-sentinel-'));
  const running: RunningRedis[] = [];
  const stop = async () => {
    await Promise.all(running.map((each) => each.stop()));
    rmSync(home, { recursive: true, force: true });
  };
  const start = async (options: Parameters<typeof startRedis>[0]) => {
    const server = await startRedis(options);
    running.push(server);
    return server;
  };
  try {
    const master = await start({ settings: { 'repl-diskless-sync-delay': '0' } });
    const replica = await start({ settings: { replicaof: `127.0.0.1 ${master.port}` } });
    await waitFor(
      async () => (await replication(replica.port)).includes('master_link_status:up'),
      'the replica',
    );
    const ports: number[] = [];
    for (let index = 0; index < SENTINELS; index += 1) {
      const port = await freePort();
      const file = join(home, `sentinel-${index}.conf`);
      writeFileSync(file, sentinelConfig(port, master.port, home));
      await start({ port, sentinel: file });
      ports.push(port);
    }
    const masterPort = async () => {
      const answer = await redisCall(ports[0] ?? 0, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME);
      return Number(/\r\n(\d+)\r\n$/.exec(answer)?.[1]);
    };
    const knows = async (port: number) => {
      const info = await redisCall(port, 'INFO', 'sentinel');
      return info.includes(`slaves=1,sentinels=${SENTINELS}`);
    };
    for (const port of ports) await waitFor(() => knows(port), 'that the Sentinels know each other', 20_000);
    return {
      url: `redis-sentinel://${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${NAME}`,
      servers: [master, replica],
      master: async () => ((await masterPort()) === replica.port ? replica : master),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const replication = (port: number): Promise<string> => redisCall(port, 'INFO', 'replication');

const sentinelConfig = (port: number, masterPort: number, directory: string): string =>
  [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${directory}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${masterPort} 2`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${NAME} 5000`,
    '',
  ].join('\n');
