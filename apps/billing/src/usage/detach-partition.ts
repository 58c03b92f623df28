import { audit } from '../audit-log/audit.ts';
import { column, hasRows, httpError, readRow, readRows } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { holdJournal } from '../ledger/journal.ts';
import { requireUnread } from './detached-months.ts';
import { addMonths, keptMonths, type Month, partitionName, toStart } from './partitions.ts';

interface Detached {
  readonly month: Month;
  /** The table that holds its rows now. */
  readonly table: string;
  readonly rows: number;
  readonly actor: string;
  readonly reason: string;
  readonly detached_at: string;
}

/**
 * Takes a month out of the usage log; its rows stay in a table of the schema `billing_archive`, to be dumped, and then dropped by drop-partition.ts.
 * A month is taken out once: asked again, the first time's record is the answer. What arrives for it later falls into
 * the default partition, and what it held is not posted again: the ledger knows the request.
 *
 * PostgreSQL has DETACH CONCURRENTLY only for tables without a default partition. The plain one changes the catalogue
 * and no row, so it holds the log for an instant, and gives up rather than queue behind a long query.
 *
 * @throws HttpException 404 for a month that is not there, 409 for one that is still written, not closed yet, or being exported.
 */
export function detachPartition(
  database: DataSource,
  month: Month,
  by: { readonly actor: string; readonly reason: string; readonly now: Date },
): Promise<Detached> {
  return database.transaction(async (manager) => {
    await manager.query(`SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = 0`);
    const before = await detachedRecord(manager, month);
    if (before) return before;
    await requirePartition(manager, month);
    if (month >= (keptMonths(by.now)[0] ?? '')) {
      const message = `${month} is still written to. Take out a month that is older.`;
      throw httpError(409, message, 'month', 'month_still_written', { month });
    }
    const name = partitionName(month);
    const counted = await lastNumber(manager);
    const { rows, open } = await countRows(manager, name);
    if (open > 0) {
      const message = `The books of ${open} accounts with usage in ${month} are not closed. Close their periods first.`;
      throw httpError(409, message, 'month', 'month_not_closed', { month, accounts: open });
    }
    await detach(manager, month);
    if (await hasRows(manager, `SELECT 1 FROM billing_archive.${name} WHERE number > $1 LIMIT 1`, [counted]))
      throw httpError(
        409,
        `Late usage of ${month} was posted just now. Try again.`,
        'month',
        'usage_posted_meanwhile',
      );
    await manager.query(
      'INSERT INTO billing.usage_detached (month, rows, actor, reason) VALUES ($1, $2, $3, $4)',
      [toStart(month), rows, by.actor, by.reason],
    );
    await audit(manager, {
      action: 'partition.detach',
      object: `partition ${month}`,
      reason: by.reason,
      actor: { email: by.actor },
      after: { rows: Number(rows) },
    });
    const made = await detachedRecord(manager, month);
    if (!made) throw new Error(`${month} has no record after it was detached`);
    return made;
  });
}

/** Postings wait at the journal meanwhile. */
async function detach(manager: EntityManager, month: Month): Promise<void> {
  try {
    await requireUnread(manager, month);
    await holdJournal(manager);
    await manager.query('SELECT billing.detach_usage_partition($1)', [`${month}-01`]);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '55P03')) throw error;
    throw httpError(
      409,
      'The usage log is busy with a long query. Try again when it is done.',
      'month',
      'service_busy',
    );
  }
}

const detachedRecordRow = z.object({
  rows: column.bigint,
  actor: column.text,
  reason: column.text,
  detached_at: column.timestamp,
});

async function detachedRecord(manager: EntityManager, month: Month): Promise<Detached | undefined> {
  const rows = await readRows(
    manager,
    detachedRecordRow,
    `SELECT rows::text, actor, reason, detached_at FROM billing.usage_detached WHERE month = $1`,
    [`${month}-01`],
  );
  const [row] = rows;
  if (!row) return undefined;
  return {
    month,
    table: `billing_archive.${partitionName(month)}`,
    rows: Number(row.rows),
    actor: row.actor,
    reason: row.reason,
    detached_at: row.detached_at.toISOString(),
  };
}

const presenceRow = z.object({ there: column.boolean });

async function requirePartition(manager: EntityManager, month: Month): Promise<void> {
  const row = await readRow(
    manager,
    presenceRow,
    `SELECT EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'billing.usage'::regclass
       AND inhrelid = to_regclass($1)) AS there`,
    [`billing.${partitionName(month)}`],
  );
  if (row?.there !== true) {
    const message = `The usage log has no partition for ${month}. GET /api/usage/partitions lists those there are.`;
    throw httpError(404, message, 'month', 'no_such_partition', { month });
  }
}

const lastNumberRow = z.object({ last_number: column.bigint });

async function lastNumber(manager: EntityManager): Promise<string> {
  const row = await readRow(manager, lastNumberRow, 'SELECT last_number FROM billing.journal');
  return row?.last_number ?? '0';
}

const partitionCountsRow = z.object({ rows: column.bigint, open: column.int });

/** How many rows a partition has, and how many accounts could still have a period that counts one of them. */
async function countRows(manager: EntityManager, name: string): Promise<{ rows: string; open: number }> {
  const row = await readRow(
    manager,
    partitionCountsRow,
    `
    SELECT coalesce(sum(u.rows), 0)::text AS rows,
      count(a.id) FILTER (WHERE u.last_booked >= coalesce(a.closed_until, '-infinity'))::int AS open
    FROM (SELECT account_id, count(*) AS rows, max(booked_at) AS last_booked FROM billing.${name} GROUP BY 1) u
    LEFT JOIN billing.account a ON a.id = u.account_id`,
  );
  return row ?? { rows: '0', open: 0 };
}

/** Whether a text names a month. */
export const isMonth = (text: string): boolean =>
  /^\d{4}-(0[1-9]|1[0-2])$/.test(text) && addMonths(text, 0) === text;
