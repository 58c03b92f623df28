import { USAGE_QUEUE } from '@tollgate/contracts';
import { findUsageQueues, type Logger, onQueueLost } from '@tollgate/platform';
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { UsageBooks } from './usage-books.ts';
import type { UsageMetrics } from './usage-metrics.ts';

/** How soon a shard is found that gateways begin to write to. */
const LOOK_MS = 2_000;

interface UsageWorkers {
  /** Finishes the jobs in hand. */
  close(): Promise<void>;
}

interface UsageWorkerParts {
  readonly redis: Redis;
  readonly books: UsageBooks;
  readonly logger: Logger;
  /** Of each queue. */
  readonly concurrency: number;
  readonly metrics?: UsageMetrics;
}

/**
 * Takes usage jobs from every queue that there is and posts them; a job is done once its events are committed. A job that
 * cannot be posted now fails and is tried again by its queue.
 */
export function startUsageWorkers(parts: UsageWorkerParts): UsageWorkers {
  const { redis, logger } = parts;
  const workers = new Map([[USAGE_QUEUE, startWorker(USAGE_QUEUE, parts)]]);
  let isLooking = false;
  let closed = false;
  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      for (const queue of await findUsageQueues(redis))
        if (!closed && !workers.has(queue)) workers.set(queue, startWorker(queue, parts));
    } catch (error) {
      logger.debug(
        { event: 'usage_queue_lookup_failed', reason: (error as Error).message },
        'the usage queues could not be looked for',
      );
    } finally {
      isLooking = false;
    }
  }
  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  void look();
  return {
    async close() {
      closed = true;
      clearInterval(timer);
      await Promise.all([...workers.values()].map((worker) => worker.close()));
    },
  };
}

function startWorker(
  queue: string,
  { redis, books, logger, concurrency, metrics }: UsageWorkerParts,
): Worker {
  const worker = new Worker(queue, (job) => books.post(job.data), {
    connection: redis,
    concurrency,
    // A worker that was killed gives its jobs back after this.
    lockDuration: 10_000,
    stalledInterval: 5_000,
    maxStalledCount: 1_000_000,
  });
  onQueueLost([worker], redis, (reason) =>
    logger.warn({ event: 'usage_queue_error', reason }, 'the connection to the usage queue failed'),
  );
  worker.on('failed', (job, error) => {
    metrics?.failed();
    logger.warn(
      { event: 'usage_post_failed', job: job?.id, attempts: job?.attemptsMade, reason: error.message },
      'usage could not be posted',
    );
  });
  return worker;
}
