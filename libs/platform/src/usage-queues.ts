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
  const found = await Promise.all(
    others.map((queue) => redis.exists(...PARTS.map((part) => toQueueKey(queue, part)))),
  );
  return [USAGE_QUEUE, ...others.filter((_, at) => Number(found[at]) > 0)];
}
