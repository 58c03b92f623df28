import { countChanged, type Logger } from '@tollgate/platform';
import type { DataSource } from 'typeorm';

const POLL_MS = 600_000;
/** Rows of one statement: none holds anybody up for long. */
const CHUNK = 5_000;
/** A gateway gives a batch up long before. */
const BATCH_DAYS = 2;

/** What is removed, and by which time. */
const TABLES = [
  { table: 'request_record', at: 'occurred_at' },
  { table: 'request_minute', at: 'minute' },
  { table: 'request_batch', at: 'taken_at' },
] as const;

/** Removes what is older than it is kept for. @returns how many rows. */
export async function removeOldRequests(database: Pick<DataSource, 'query'>, days: number): Promise<number> {
  let removed = 0;
  for (const { table, at } of TABLES) {
    const kept = table === 'request_batch' ? BATCH_DAYS : days;
    const remove = `DELETE FROM billing.${table} WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM billing.${table} WHERE ${at} < now() - $1 * interval '1 day' ORDER BY ${at} LIMIT ${CHUNK}))`;
    for (let chunk = CHUNK; chunk === CHUNK; removed += chunk)
      chunk = await countChanged(database, remove, [kept]);
  }
  return removed;
}

/** Sweeps every few minutes. @returns what ends it. */
export function startRequestRetention(database: DataSource, days: number, logger: Logger): () => void {
  const sweep = () =>
    removeOldRequests(database, days).catch((error: Error) =>
      logger.warn(
        { event: 'request_retention_failed', reason: error.message },
        'old requests could not be removed from the log',
      ),
    );
  void sweep();
  const timer = setInterval(() => void sweep(), POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
