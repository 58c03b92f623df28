import { type Logger, onQueueLost } from '@tollgate/platform';
import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import type { Exports } from '../exports.controller.ts';
import { askForDueExports } from './due-exports.ts';

const QUEUE = '{export-schedules}';
const EVERY_MS = 60_000;

/**
 * Looks once a minute, in one of all billings, for scheduled exports that are due. Redis only says when to look: what
 * is due stands in the database, so that a Redis that forgets everything loses no export.
 */
export function startScheduleRunner(parts: {
  readonly redis: Redis;
  readonly database: DataSource;
  readonly exports: Exports;
  readonly logger: Logger;
}): { stop(): Promise<void> } {
  const { redis, database, exports, logger } = parts;
  const queue = new Queue(QUEUE, {
    connection: redis,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: 10 },
  });
  const plan = () => {
    queue
      .upsertJobScheduler('look', { every: EVERY_MS })
      .catch((error: Error) =>
        logger.warn(
          { event: 'export_schedule_plan_failed', reason: error.message },
          'the look for scheduled exports could not be planned',
        ),
      );
  };
  redis.on('ready', plan);
  plan();
  const worker = new Worker(
    QUEUE,
    async () => {
      const asked = await askForDueExports(database, exports);
      if (asked === 0) return;
      logger.info(
        { event: 'scheduled_exports_requested', exports: asked },
        'scheduled exports are asked for',
      );
      exports.runner.wake();
    },
    { connection: redis },
  );
  onQueueLost([queue, worker], redis, (reason) =>
    logger.warn(
      { event: 'export_schedule_queue_error', reason },
      'the connection to the queue of scheduled exports failed',
    ),
  );
  worker.on('failed', (_job, error) =>
    logger.warn(
      { event: 'export_schedule_lookup_failed', reason: error.message },
      'scheduled exports could not be looked for',
    ),
  );
  return {
    async stop() {
      redis.off('ready', plan);
      await worker.close();
      await queue.close();
    },
  };
}
