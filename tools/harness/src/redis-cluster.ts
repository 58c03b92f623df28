import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { redisCall } from './redis-call.ts';
import { type RunningRedis, startRedis } from './redis.ts';
import { waitFor } from './wait-for.ts';

export interface RunningRedisCluster {
  /** `redis-cluster://…` with every node. */
  readonly url: string;
  /** The masters as they were started; each has a third of the slots. */
  readonly masters: readonly RunningRedis[];
  /** One for each master, where they were asked for. */
  readonly replicas: readonly RunningRedis[];
  stop(): Promise<void>;
}

const SLOTS = 16_384;
const MASTERS = 3;
/** A master that is silent for so long is replaced by its replica. */
const NODE_TIMEOUT_MS = 1_000;

/** Starts a Redis Cluster of three masters on the loopback address that keeps nothing. */
export async function startRedisCluster(
  options: { readonly replicas?: boolean } = {},
): Promise<RunningRedisCluster> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-cluster-'));
  const nodes: (RunningRedis & { readonly busPort: number })[] = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    rmSync(home, { recursive: true, force: true });
  };
  try {
    for (let index = 0; index < (options.replicas ? 2 * MASTERS : MASTERS); index += 1) {
      const busPort = await freePort();
      const settings = {
        'cluster-enabled': 'yes',
        'cluster-port': String(busPort),
        'cluster-config-file': join(home, `node-${index}.conf`),
        'cluster-node-timeout': String(NODE_TIMEOUT_MS),
        'cluster-require-full-coverage': 'no',
        // However long the machine stood still, a replica goes on trying to become a master.
        'cluster-replica-validity-factor': '0',
        'repl-diskless-sync-delay': '0',
      };
      nodes.push({ ...(await startRedis({ settings })), busPort });
    }
    await joinUp(nodes);
    return {
      url: `redis-cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
      masters: nodes.slice(0, MASTERS),
      replicas: nodes.slice(MASTERS),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function joinUp(nodes: readonly { readonly port: number; readonly busPort: number }[]): Promise<void> {
  const [first] = nodes;
  if (!first) return;
  for (const [index, { port }] of nodes.slice(0, MASTERS).entries()) {
    const from = Math.floor((SLOTS * index) / MASTERS);
    const to = Math.floor((SLOTS * (index + 1)) / MASTERS) - 1;
    await redisCall(port, 'CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
    await redisCall(port, 'CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
  }
  for (const { port, busPort } of nodes.slice(1))
    await redisCall(first.port, 'CLUSTER', 'MEET', '127.0.0.1', String(port), String(busPort));
  for (const { port } of nodes)
    await waitFor(async () => (await knownNodes(port)) === nodes.length, 'that every node knows every other');
  for (const [index, { port }] of nodes.slice(MASTERS).entries()) {
    const master: string = await redisCall(nodes[index]?.port ?? 0, 'CLUSTER', 'MYID');
    await redisCall(port, 'CLUSTER', 'REPLICATE', master);
  }
  for (const { port } of nodes)
    await waitFor(async () => /cluster_state:ok/.test(await info(port)), 'the cluster', 20_000);
  for (const { port } of nodes.slice(MASTERS))
    await waitFor(
      async () => /master_link_status:up/.test(String(await redisCall(port, 'INFO', 'replication'))),
      'a replica',
      20_000,
    );
  // Every master has heard of its replica: it may be voted for.
  for (const { port } of nodes.slice(0, nodes.length > MASTERS ? MASTERS : 0))
    await waitFor(
      async () => /connected_slaves:1/.test(String(await redisCall(port, 'INFO', 'replication'))),
      'a replica at its master',
    );
}

const info = async (port: number): Promise<string> => String(await redisCall(port, 'CLUSTER', 'INFO'));
const knownNodes = async (port: number): Promise<number> =>
  Number(/cluster_known_nodes:(\d+)/.exec(await info(port))?.[1]);
