import { column, readRows } from '@tollgate/platform';
import type { Logger } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { removeFiles } from './export-parts.ts';
import type { ExportStorage } from './storage/storage.ts';

const EVERY_MS = 3_600_000;
/** Removed with one look; the rest goes with the next. */
const AT_ONCE = 200;

interface Parts {
  readonly database: DataSource;
  readonly storage: Pick<ExportStorage, 'remove'>;
  readonly logger: Logger;
  /** Days after its end that an export keeps its files. */
  readonly keepDays: number | 'never';
  /** MB of files that are kept of what the people of one account have exported themselves. */
  readonly customerMb: number;
}

const oldExportRow = z.object({ id: column.uuid });

const BYTES_PER_MB = 1_000_000;
/** Customers' exports whose files are there, with how many bytes the newer ones of the account have. */
const OF_CUSTOMERS = `SELECT id, bytes,
    sum(bytes) OVER (PARTITION BY account_id ORDER BY finished_at DESC, id DESC) - bytes AS newer
  FROM billing.export_job WHERE audience = 'customer' AND status = 'done' AND files_removed_at IS NULL`;

/**
 * Removes the files of exports that ended more than `keepDays` ago, and of customers' oldest ones where an account has more than
 * its share of the disk. What was asked for and the manifest stay. Several billings may be at it at once: what is removed twice is
 * gone all the same.
 *
 * @returns how many exports lost their files.
 */
export async function removeOldExports(parts: Parts): Promise<number> {
  const { database, storage, logger, keepDays, customerMb } = parts;
  const old = await readRows(
    database,
    oldExportRow,
    `SELECT id FROM billing.export_job
     WHERE files_removed_at IS NULL AND (finished_at < now() - make_interval(days => $1)
       OR id IN (SELECT id FROM (${OF_CUSTOMERS}) AS kept WHERE newer > 0 AND newer + bytes > $2))
     ORDER BY finished_at LIMIT $3`,
    [keepDays === 'never' ? null : keepDays, customerMb * BYTES_PER_MB, AT_ONCE],
  );
  let removed = 0;
  for (const { id } of old) {
    try {
      await removeFiles(database, storage, id);
      await database.query('UPDATE billing.export_job SET files_removed_at = now() WHERE id = $1', [id]);
      removed += 1;
    } catch (error) {
      logger.warn(
        { event: 'export_removal_failed', export: id, reason: (error as Error).message },
        'the files of an old export could not be removed',
      );
    }
  }
  return removed;
}

/** Removes what is too old or too much, now, once an hour, and when it is told to look. It stops after the removal in hand. */
export function startExportRetention(parts: Parts): { look(): void; stop(): Promise<void> } {
  const { logger } = parts;
  let running: Promise<void> = Promise.resolve();
  const poll = async () => {
    try {
      const exports = await removeOldExports(parts);
      if (exports > 0)
        logger.info({ event: 'exports_removed', exports }, 'the files of old exports are removed');
    } catch (error) {
      logger.warn(
        { event: 'export_retention_failed', reason: (error as Error).message },
        'old exports could not be looked for',
      );
    }
  };
  const look = () => void (running = running.then(poll));
  look();
  const timer = setInterval(look, EVERY_MS);
  timer.unref();
  return {
    look,
    stop() {
      clearInterval(timer);
      return running;
    },
  };
}
