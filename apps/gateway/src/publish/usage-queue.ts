import { USAGE_QUEUE, type UsageEvent } from '@tollgate/contracts';
import type { Logger } from '@tollgate/platform';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

export interface UsageQueue {
  /** Adds a job, unless one of that id is still in the queue. @throws while Redis is away. */
  add(jobId: string, events: readonly UsageEvent[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * The queue to billing. BullMQ asks Redis for its version when a queue is made, and a queue for which that failed never
 * works again: so it is made at the first job, and again after a failure.
 */
export function createUsageQueue(redis: Redis, logger: Logger): UsageQueue {
  let opened: Promise<Queue> | undefined;

  async function open(): Promise<Queue> {
    const queue = new Queue(USAGE_QUEUE, {
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
    async add(jobId, events) {
      if (redis.status !== 'ready') throw new Error(`Redis is ${redis.status}`);
      opened ??= open();
      const queue = await opened;
      await queue.add('usage', { events }, { jobId });
    },
    async close() {
      const queue = await opened?.catch(() => undefined);
      await queue?.close().catch(() => {});
    },
  };
}
