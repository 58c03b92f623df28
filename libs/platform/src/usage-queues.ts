import { toQueueKey, toUsageQueue, USAGE_QUEUE, USAGE_QUEUE_SHARDS_MAX } from '@tollgate/contracts';
import type { Redis } from 'ioredis';

/** Of a queue that somebody has opened, or that has jobs. */
const PARTS = ['meta', 'wait', 'active', 'delayed', 'prioritized', 'failed'];

/**
 * The queues that usage comes by: the first, and each other shard that there is in Redis. Gateways decide how many they write
 * to; whoever takes jobs looks for all of them, so that none is left behind when that number changes.
 */
export async function findUsageQueues(redis: Redis): Promise<string[]> {
  const others = Array.from({ length: USAGE_QUEUE_SHARDS_MAX - 1 }, (_, at) => toUsageQueue(at + 1));
  // Most deployments have none, and one server says so at once. Those of a cluster are asked for their own.
  if (!redis.isCluster && (await redis.exists(...others.flatMap(toKeys))) === 0) return [USAGE_QUEUE];
  const found = await Promise.all(others.map((queue) => redis.exists(...toKeys(queue))));
  return [USAGE_QUEUE, ...others.filter((_, at) => Number(found[at]) > 0)];
}

const toKeys = (queue: string): string[] => PARTS.map((part) => toQueueKey(queue, part));
