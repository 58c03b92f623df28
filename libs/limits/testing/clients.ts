import { once } from 'node:events';
import { Cluster, Redis } from 'ioredis';
import { keySlot } from '../src/key-slot.ts';
import type { RedisClient } from '../src/script.ts';

export interface TestRedis {
  /** A connection of its own. */
  connect(): Promise<RedisClient>;
  flush(): Promise<void>;
  stop(): Promise<void>;
}

interface Running {
  readonly port?: number;
  readonly masters?: readonly { readonly port: number }[];
  stop(): Promise<void>;
}

/** Connections to one server, or to a cluster. */
export function testRedis(running: Running): TestRedis {
  const clients: RedisClient[] = [];
  const ports = running.masters?.map(({ port }) => port) ?? [running.port ?? 0];
  const open = (): RedisClient =>
    running.masters
      ? new Cluster([...ports], { redisOptions: { replyMapping: 'legacy' } })
      : new Redis({ port: ports[0] ?? 0, replyMapping: 'legacy' });
  const servers = ports.map((port) => new Redis({ port, replyMapping: 'legacy' }));
  return {
    async connect() {
      const client = open();
      clients.push(client);
      await once(client, 'ready');
      return client;
    },
    flush: async () => void (await Promise.all(servers.map((each) => each.flushall()))),
    async stop() {
      for (const client of [...clients, ...servers]) client.disconnect();
      await running.stop();
    },
  };
}

/** Names of keys that live in as many different slots. */
export function keysApart(count: number, make: (n: number) => string): string[] {
  const found = new Map<number, string>();
  for (let n = 0; found.size < count; n += 1) found.set(keySlot(make(n)), make(n));
  return [...found.values()];
}
