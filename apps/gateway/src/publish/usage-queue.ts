import { crc32 } from 'node:zlib';
import { toUsageQueue } from '@tollgate/contracts';
import type { Logger } from '@tollgate/platform';
import { Job, type JobProgress, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { WrittenEvent } from './spool-line.ts';

export interface UsageQueue {
  /** Adds a job, unless one of that id is still in its shard. @throws while Redis is away. */
  add(jobId: string, events: readonly WrittenEvent[]): Promise<void>;
  close(): Promise<void>;
}

interface Shard {
  open(): Promise<Queue>;
  close(): Promise<void>;
}

/** The data of a job: events whose JSON is there already. */
class WrittenEvents {
  readonly #events: readonly WrittenEvent[];

  constructor(events: readonly WrittenEvent[]) {
    this.#events = events;
  }

  /** What BullMQ would write of it. */
  toJSON(): object {
    return {};
  }

  write(): string {
    return `{"events":[${this.#events.map(({ json }) => json).join(',')}]}`;
  }
}

class WrittenJob<Data, Result, Name extends string, Progress extends JobProgress> extends Job<
  Data,
  Result,
  Name,
  Progress
> {
  override asJSON(): ReturnType<Job['asJSON']> {
    const json = super.asJSON();
    return this.data instanceof WrittenEvents ? { ...json, data: this.data.write() } : json;
  }
}

/** Its jobs are not written a second time: that took as long as writing them for the disk. */
class WrittenQueue extends Queue {
  protected override get Job(): typeof Job {
    return WrittenJob;
  }
}

/** The queue to billing. A job's id decides its shard: one that is queued again is found where it was. */
export function createUsageQueue(redis: Redis, logger: Logger, shardCount: number): UsageQueue {
  const shards = Array.from({ length: shardCount }, (_, at) => createShard(redis, logger, toUsageQueue(at)));
  return {
    async add(jobId, events) {
      if (redis.status !== 'ready') throw new Error(`Redis is ${redis.status}`);
      const queue = await shards[crc32(jobId) % shardCount]?.open();
      await queue?.add('usage', new WrittenEvents(events), { jobId });
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
    const queue = new WrittenQueue(name, {
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
