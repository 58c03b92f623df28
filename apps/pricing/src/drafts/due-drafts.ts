import { hasRows, type Logger } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import type { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { publishNextDue } from './publish-drafts.ts';

const EVERY_MS = 1_000;

interface DueDrafts {
  /** Finishes the publication in hand. */
  close(): Promise<void>;
}

/** Publishes scheduled drafts when they are due, within about a second; the database's clock decides. */
export function startDueDrafts(database: DataSource, snapshots: SnapshotStore, logger: Logger): DueDrafts {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  const isAnyDue = (): Promise<boolean> =>
    hasRows(
      database,
      `SELECT FROM pricing.draft WHERE status = 'scheduled' AND effective_at <= clock_timestamp() LIMIT 1`,
    );
  const publishDue = async (): Promise<void> => {
    try {
      while (!closed && (await isAnyDue())) await publishNextDue(snapshots, logger);
    } catch (error) {
      logger.warn(
        { event: 'due_drafts_failed', reason: (error as Error).message },
        'drafts that are due could not be looked for or published',
      );
    }
  };
  const next = () => {
    running = publishDue().finally(() => {
      if (!closed) timer = setTimeout(next, EVERY_MS);
    });
  };
  next();
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      return running;
    },
  };
}
