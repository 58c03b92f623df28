import { column, hasRows, httpError, readRows } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { type Month, partitionName } from '../usage/partitions.ts';
import type { ExportFilters } from './export-job.ts';

/** Exports are not asked for while a month is taken out of the usage log. */
const LOCK = 7_302_016;

const detachedRow = z.object({ month: column.text, is_there: column.boolean });

/**
 * Holds months in the usage log until the transaction ends.
 *
 * @throws HttpException 409 where usage of the span was taken out: the export would lack it, and nothing in it would say so.
 */
export async function requireAttached(
  manager: EntityManager,
  { from, to, accountId }: Pick<ExportFilters, 'from' | 'to' | 'accountId'>,
): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock_shared($1)', [LOCK]);
  const detached = await readRows(
    manager,
    detachedRow,
    `SELECT to_char(month, 'YYYY-MM') AS month,
       to_regclass('billing_archive.usage_' || to_char(month, 'YYYY_MM')) IS NOT NULL AS is_there
     FROM billing.usage_detached WHERE month < $1::timestamptz ORDER BY month`,
    [to],
  );
  for (const { month, is_there: isThere } of detached) {
    const tables = [
      ...(isThere ? [`SELECT account_id, booked_at FROM billing_archive.${partitionName(month)}`] : []),
      `SELECT account_id, booked_at FROM billing.usage_rollup WHERE month = '${month}-01'`,
    ];
    const used = await hasRows(
      manager,
      // Of what was dropped the quarter of an hour is known in which it was booked.
      `SELECT FROM (${tables.join(' UNION ALL ')}) AS u
       WHERE booked_at >= date_bin('15 minutes', $1::timestamptz, timestamptz '2000-01-01T00:00:00Z') AND booked_at < $2
         AND ($3::uuid IS NULL OR account_id = $3) LIMIT 1`,
      [from, to, accountId],
    );
    if (!used) continue;
    const message = `Usage of ${month} was taken out of the usage log and cannot be exported any more. Ask for days before or after it.`;
    throw httpError(409, message, 'from', 'month_detached', { month });
  }
}

/**
 * Keeps exports from being asked for until the transaction ends, so that a month can be taken out of the usage log.
 *
 * @throws HttpException 409 where an export that is not finished has usage of the month.
 */
export async function requireUnexported(manager: EntityManager, month: Month): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
  const isRead = await hasRows(
    manager,
    `SELECT FROM billing.export_job j WHERE status IN ('queued', 'running') AND kind <> 'ledger' AND EXISTS (
       SELECT FROM billing.${partitionName(month)} u WHERE u.booked_at >= j.booked_from AND u.booked_at < j.booked_to
         AND u.number <= j.watermark AND (j.account_id IS NULL OR u.account_id = j.account_id)) LIMIT 1`,
    [],
  );
  if (!isRead) return;
  const message = `An export that is not finished has usage of ${month}. Wait for it, or cancel it.`;
  throw httpError(409, message, 'month', 'month_exported', { month });
}
