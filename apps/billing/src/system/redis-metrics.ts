import { listMasters, readAtScrape, type Reading } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import type { FullQueue } from '../usage/full-queue.ts';

/** What Prometheus is told of the memory of Redis: when it is full, limited credit waits and usage goes past the queue. */
export function serveRedisMetrics(metrics: Registry, redis: Redis, queue: FullQueue): void {
  readAtScrape(
    metrics,
    {
      kind: 'gauge',
      name: 'tollgate_redis_memory_used_ratio',
      help: 'Used memory of each Redis as a share of its maxmemory; 0 where it has none',
      labelNames: ['node'],
    },
    async () => (await Promise.all(listMasters(redis).map(usedOf))).flat(),
  );
  readAtScrape(
    metrics,
    { kind: 'gauge', name: 'tollgate_redis_full', help: '1 while Redis refuses memory to the usage queue' },
    () => [[{}, queue.isFull() ? 1 : 0]],
  );
  readAtScrape(
    metrics,
    {
      kind: 'counter',
      name: 'tollgate_usage_jobs_past_queue_total',
      help: 'Usage jobs that were taken out of a full Redis past the worker',
    },
    () => [[{}, queue.taken()]],
  );
}

async function usedOf(node: Redis): Promise<Reading<'node'>[]> {
  const info = await node.info('memory');
  const [used, max] = ['used_memory', 'maxmemory'].map((name) =>
    Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0),
  );
  const { host = '', port = '' } = node.options;
  return [[{ node: `${host}:${port}` }, used && max ? used / max : 0]];
}
