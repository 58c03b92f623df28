import { crc32 } from 'node:zlib';
import { toUsageQueue, type UsageEvent } from '@tollgate/contracts';
import type { Logger } from '@tollgate/platform';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

export interface UsageQueue {
  /** Adds a job, unless one of that id is still in its shard. @throws while Redis is away. */
  add(jobId: string, events: readonly UsageEvent[]): Promise<void>;
  close(): Promise<void>;
}

interface Shard {
  open(): Promise<Queue>;
  close(): Promise<void>;
}

/** The queue to billing. A job's id decides its shard: one that is queued again is found where it was. */
export function createUsageQueue(redis: Redis, logger: Logger, shardCount: number): UsageQueue {
  const shards = Array.from({ length: shardCount }, (_, at) => createShard(redis, logger, toUsageQueue(at)));
  return {
    async add(jobId, events) {
      if (redis.status !== 'ready') throw new Error(`Redis is ${redis.status}`);
      const queue = await shards[crc32(jobId) % shardCount]?.open();
      await queue?.add('usage', { events }, { jobId });
    },
    async close() {
      await Promise.all(shards.map((shard) => shard.close()));
    },
  };
}

/**
 * BullMQ asks Redis for its version when a queue is made, and a queue for which that failed never works again: so it is
 * made at the first job, and again after a failure.
 */
function createShard(redis: Redis, logger: Logger, name: string): Shard {
  let opened: Promise<Queue> | undefined;

  async function open(): Promise<Queue> {
    const queue = new Queue(name, {
      connection: redis,
      skipWaitingForReady: true,
      defaultJobOptions: {
        attempts: 1_000_000,
        backoff: { type: 'fixed', delay: 2_000, jitter: 0.5 },
        removeOnComplete: true,
        removeOnFail: false,
      },
    });
    queue.on('error', (error) =>
      logger.debug(
        { event: 'usage_queue_error', reason: error.message },
        'the connection to the usage queue failed',
      ),
    );
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      opened = undefined;
      await queue.close().catch(() => {});
      throw error;
    }
  }

  return {
    open: () => (opened ??= open()),
    async close() {
      const queue = await opened?.catch(() => undefined);
      await queue?.close().catch(() => {});
    },
  };
}
