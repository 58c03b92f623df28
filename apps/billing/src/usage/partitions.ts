import { column, type Logger, readRow, readRows } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { holdJournal } from '../ledger/journal.ts';

/** Whatever runs SQL: a connection, or a transaction. */
type Runs = Pick<EntityManager, 'query'>;

const KEPT = { before: 1, ahead: 3 };
/** Replicas take turns. */
const LOCK = 7_302_002;

/** A month of UTC as `2026-11`. */
export type Month = string;

export const toMonth = (at: Date): Month => at.toISOString().slice(0, 7);

/** The month that is `count` after (or, below zero, before) another. */
export function addMonths(month: Month, count: number): Month {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return toMonth(new Date(Date.UTC(year, number - 1 + count, 1)));
}

export const partitionName = (month: Month): string => `usage_${month.replace('-', '_')}`;
export const toStart = (month: Month): string => `${month}-01T00:00:00Z`;

/** The months that always have a partition: the one before `now`'s to three ahead of it. */
export const keptMonths = (now: Date): Month[] =>
  Array.from({ length: KEPT.before + 1 + KEPT.ahead }, (_, index) =>
    addMonths(toMonth(now), index - KEPT.before),
  );

const partitionNameRow = z.object({ relname: column.text });

/**
 * Makes the partitions that are missing around `now`, in the caller's transaction. Rows that fell into the default
 * partition move to that of their month.
 *
 * @returns the months that were made.
 */
export async function createPartitions(runs: Runs, now: Date): Promise<Month[]> {
  const rows = await readRows(
    runs,
    partitionNameRow,
    `SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'billing.usage'::regclass
     UNION ALL SELECT 'usage_' || to_char(month, 'YYYY_MM') FROM billing.usage_detached`,
  );
  const there = new Set(rows.map(({ relname }) => relname));
  const missing = keptMonths(now).filter((month) => !there.has(partitionName(month)));
  if (missing.length === 0) return [];
  // A posting under way has chosen a partition already, and would be refused by it.
  await holdJournal(runs);
  for (const month of missing) await runs.query('SELECT billing.create_usage_partition($1)', [`${month}-01`]);
  return missing;
}

const lockRow = z.object({ mine: column.boolean });

/** The daily round: what {@link createPartitions} does, by one replica at a time. */
export const keepPartitions = (database: DataSource, now: Date): Promise<Month[]> =>
  database.transaction(async (manager) => {
    const row = await readRow(manager, lockRow, 'SELECT pg_try_advisory_xact_lock($1) AS mine', [LOCK]);
    if (row?.mine !== true) return [];
    await manager.query(`SET LOCAL lock_timeout = '5s'; SET LOCAL statement_timeout = 0`);
    return createPartitions(manager, now);
  });

interface Partition {
  /** Null for the default partition, which holds what belongs to no month that there is. */
  readonly month: Month | null;
  readonly state: 'attached' | 'detached' | 'dropping' | 'dropped';
  /** That are there: as of the database's last statistics, exact for what is not attached. */
  readonly rows: number;
  /** With indices; null where a detached table was taken away. */
  readonly bytes: number | null;
}

const partitionRow = z.object({
  month: column.text.nullable(),
  state: z.enum(['attached', 'detached', 'dropping', 'dropped']),
  rows: column.bigint,
  bytes: column.bigint.nullable(),
});

/** The partitions of the usage log, oldest month first. */
export async function listPartitions(runs: Runs): Promise<Partition[]> {
  const rows = await readRows(
    runs,
    partitionRow,
    `
      SELECT substring(replace(c.relname, '_', '-') FROM 'usage-(\\d{4}-\\d{2})') AS month, 'attached' AS state,
        greatest(c.reltuples, s.n_live_tup, 0)::bigint::text AS rows, pg_total_relation_size(c.oid)::text AS bytes
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
      WHERE i.inhparent = 'billing.usage'::regclass
      UNION ALL
      SELECT to_char(d.month, 'YYYY-MM'),
        CASE WHEN x.ended_at IS NOT NULL THEN 'dropped' WHEN x.month IS NOT NULL THEN 'dropping' ELSE 'detached' END,
        (d.rows - coalesce(x.rows, 0))::text,
        pg_total_relation_size(to_regclass('billing_archive.usage_' || to_char(d.month, 'YYYY_MM')))::text
      FROM billing.usage_detached d LEFT JOIN billing.usage_drop x USING (month)
      ORDER BY month NULLS LAST`,
  );
  return rows.map(({ month, state, rows: count, bytes }) => ({
    month,
    state,
    rows: Number(count),
    bytes: bytes === null ? null : Number(bytes),
  }));
}

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
