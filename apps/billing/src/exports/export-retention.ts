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
  readonly keepDays: number;
}

const oldExportRow = z.object({ id: column.uuid });

/**
 * Removes the files of exports that ended more than `keepDays` ago. What was asked for and the manifest stay. Several
 * billings may be at it at once: what is removed twice is gone all the same.
 *
 * @returns how many exports lost their files.
 */
export async function removeOldExports({ database, storage, logger, keepDays }: Parts): Promise<number> {
  const old = await readRows(
    database,
    oldExportRow,
    `SELECT id FROM billing.export_job
     WHERE files_removed_at IS NULL AND finished_at < now() - make_interval(days => $1)
     ORDER BY finished_at LIMIT $2`,
    [keepDays, AT_ONCE],
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

/** Removes what is too old, now and once an hour. @returns what ends it, after the removal in hand. */
export function startExportRetention(
  parts: Omit<Parts, 'keepDays'> & { readonly keepDays: number | 'never' },
): () => Promise<void> {
  const { keepDays, logger } = parts;
  if (keepDays === 'never') return () => Promise.resolve();
  let running: Promise<void> = Promise.resolve();
  const poll = async () => {
    try {
      const exports = await removeOldExports({ ...parts, keepDays });
      if (exports > 0)
        logger.info({ event: 'exports_removed', exports }, 'the files of old exports are removed');
    } catch (error) {
      logger.warn(
        { event: 'export_retention_failed', reason: (error as Error).message },
        'old exports could not be looked for',
      );
    }
  };
  const start = () => (running = running.then(poll));
  void start();
  const timer = setInterval(start, EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    return running;
  };
}
