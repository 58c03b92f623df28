import type { Logger } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { keepPartitions } from './partitions.ts';

const DAY_MS = 24 * 3_600_000;

/** Makes the usage log's coming months, now and once a day. @returns what ends the rounds. */
export function startPartitionRounds(database: DataSource, logger: Logger): () => void {
  const poll = () =>
    keepPartitions(database, new Date()).then(
      (months) => {
        if (months.length > 0)
          logger.info({ event: 'usage_partitions_created', months }, 'the usage log has new months');
      },
      (error: Error) =>
        logger.warn(
          { event: 'usage_partitions_failed', reason: error.message },
          'the months of the usage log could not be created',
        ),
    );
  void poll();
  const timer = setInterval(() => void poll(), DAY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
