import type { Logger } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { keepPartitions } from './partitions.ts';

const DAY_MS = 24 * 3_600_000;

/** Makes the usage log's coming months, now and once a day. @returns what ends the rounds. */
export function startPartitionRounds(database: DataSource, logger: Logger): () => void {
  const round = () =>
    keepPartitions(database, new Date()).then(
      (months) => {
        if (months.length > 0) logger.info({ months }, 'the usage log has new months');
      },
      (error: Error) =>
        logger.warn({ reason: error.message }, 'the months of the usage log wait for the next round'),
    );
  void round();
  const timer = setInterval(() => void round(), DAY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
