import { USAGE_QUEUE } from '@tollgate/contracts';
import type { Logger } from '@tollgate/platform';
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { UsageBooks } from './usage-books.ts';
import type { UsageMetrics } from './usage-metrics.ts';

interface UsageWorker {
  /** Finishes the jobs in hand. */
  close(): Promise<void>;
}

/**
 * Takes usage jobs from the queue and posts them; a job is done once its events are committed. A job that cannot be
 * posted now fails and is tried again by the queue.
 */
export function startUsageWorker(parts: {
  redis: Redis;
  books: UsageBooks;
  logger: Logger;
  concurrency: number;
  metrics?: UsageMetrics;
}): UsageWorker {
  const { redis, books, logger, metrics } = parts;
  const worker = new Worker(USAGE_QUEUE, (job) => books.post(job.data), {
    connection: redis,
    concurrency: parts.concurrency,
    // A worker that was killed gives its jobs back after this.
    lockDuration: 10_000,
    stalledInterval: 5_000,
    maxStalledCount: 1_000_000,
  });
  worker.on('error', (error) =>
    logger.warn(
      { event: 'usage_queue_error', reason: error.message },
      'the connection to the usage queue failed',
    ),
  );
  worker.on('failed', (job, error) => {
    metrics?.failed();
    logger.warn(
      { event: 'usage_post_failed', job: job?.id, attempts: job?.attemptsMade, reason: error.message },
      'usage could not be posted',
    );
  });
  return { close: () => worker.close() };
}
