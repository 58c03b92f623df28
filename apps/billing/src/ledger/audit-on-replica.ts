import { column, type Logger, requireRow } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { createDataSource } from '../database/data-source.ts';
import { waitForReplica } from '../database/replica.ts';
import type { OnReplica } from './complete-audit.ts';
import type { Transactions } from './journal.ts';

const POOL = { poolSize: 2, statement_timeout: 0, connectionTimeoutMillis: 10_000 };
const journalRow = z.object({ last_number: column.bigint });

/**
 * Reads from a replica that has the journal up to what its primary has now, and from the primary where there is none, it is
 * behind, or it breaks off, as a replica does whose reading stands in the way of replication.
 */
export const createReplicaReading =
  (database: DataSource, replicaUrl: string | undefined, logger: Logger): OnReplica =>
  async <T>(work: (reader: Transactions) => Promise<T>): Promise<T> => {
    if (replicaUrl === undefined) return work(database);
    const replica = createDataSource(replicaUrl, POOL);
    try {
      const { last_number } = await requireRow(
        database,
        journalRow,
        'SELECT last_number FROM billing.journal',
      );
      await replica.initialize();
      await waitForReplica(replica, Number(last_number));
      return await work(replica);
    } catch (error) {
      logger.warn(
        { event: 'audit_replica_left', reason: (error as Error).message },
        'an audit is read from the primary',
      );
      return await work(database);
    } finally {
      if (replica.isInitialized) await replica.destroy();
    }
  };
