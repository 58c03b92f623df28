import { toQueueKey, toUsageQueue } from '@tollgate/contracts';
import { redisCall } from '@tollgate/harness';

/** Of the queue of usage. */
export const SHARDS = 3;
const LISTS = ['wait', 'active', 'paused'];
const SETS = ['delayed', 'prioritized', 'failed'];

/** Jobs of usage that are not done, counted by where they are. */
export async function readJobs(redisPort: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (let shard = 0; shard < SHARDS; shard += 1) {
    for (const [command, parts] of [
      ['LLEN', LISTS],
      ['ZCARD', SETS],
    ] as const)
      for (const part of parts) {
        const key = toQueueKey(toUsageQueue(shard), part);
        const count = Number(await redisCall(redisPort, command, key));
        if (count > 0) found.push(`${count} in ${key}`);
      }
  }
  return found;
}
