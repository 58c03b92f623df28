import { column, hasRows, httpError, readRows } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { type Month, partitionName } from './partitions.ts';

interface Span {
  /** Of booked_at, inclusive; from the first usage where it is not said. */
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
  readonly accountId?: string | null | undefined;
  /** Whether lost attempts are read as well. */
  readonly hasAttempts?: boolean;
}

const detachedRow = z.object({ month: column.text, is_there: column.boolean });

/**
 * Sees to it that usage of a span is in the usage log until the transaction ends.
 *
 * @throws HttpException 409 where some was taken out: what is made of the log would lack it, and nothing in it would say so.
 */
export async function requireAttached(manager: Pick<EntityManager, 'query'>, span: Span): Promise<void> {
  const month = await findDetachedMonth(manager, span);
  if (month === undefined) return;
  const message = `Usage of ${month} was taken out of the usage log. Ask for days after it.`;
  throw httpError(409, message, 'from', 'month_detached', { month });
}

/**
 * The last month of which usage of a span was taken out of the usage log; undefined where all of it is there, as it then is until the
 * transaction ends. Lost attempts may be dropped meanwhile: whoever reads them takes one snapshot (REPEATABLE READ).
 */
export async function findDetachedMonth(
  manager: Pick<EntityManager, 'query'>,
  { from = '-infinity', to = 'infinity', accountId = null, hasAttempts = false }: Span,
): Promise<string | undefined> {
  // It takes no snapshot: what was taken out before this is seen by what is read next. Nor does the table of a dropped month go until then.
  await manager.query('LOCK TABLE billing.usage_detached IN ROW SHARE MODE');
  const detached = await readRows(
    manager,
    detachedRow,
    `SELECT to_char(month, 'YYYY-MM') AS month,
       to_regclass('billing_archive.usage_' || to_char(month, 'YYYY_MM')) IS NOT NULL AS is_there
     FROM billing.usage_detached WHERE month < $1::timestamptz ORDER BY month DESC`,
    [to],
  );
  for (const { month, is_there: isThere } of detached) {
    const within = 'booked_at < $2 AND ($3::uuid IS NULL OR account_id = $3)';
    const tables = [
      ...(isThere
        ? [`SELECT FROM billing_archive.${partitionName(month)} WHERE booked_at >= $1 AND ${within}`]
        : []),
      // Of what was dropped the quarter of an hour is known in which it was booked.
      `SELECT FROM billing.usage_rollup WHERE month = '${month}-01' AND booked_at > $1::timestamptz - interval '15 minutes' AND ${within}`,
      ...(hasAttempts
        ? [
            `SELECT FROM billing.lost_rollup WHERE month = '${month}-01' AND booked_at > $1::timestamptz - interval '15 minutes' AND booked_at < $2`,
          ]
        : []),
    ];
    if (await hasRows(manager, `${tables.join(' UNION ALL ')} LIMIT 1`, [from, to, accountId])) return month;
  }
  return undefined;
}

/**
 * Sees to it that nobody reads usage of a month until the transaction ends, so that it can be taken out of the usage log.
 *
 * @throws HttpException 409 where an export that is not finished has usage of it.
 */
export async function requireUnread(manager: EntityManager, month: Month): Promise<void> {
  await manager.query('LOCK TABLE billing.usage_detached IN EXCLUSIVE MODE');
  const isExported = await hasRows(
    manager,
    `SELECT FROM billing.export_job j WHERE status IN ('queued', 'running') AND kind <> 'ledger' AND EXISTS (
       SELECT FROM billing.${partitionName(month)} u WHERE u.booked_at >= j.booked_from AND u.booked_at < j.booked_to
         AND u.number <= j.watermark AND (j.account_id IS NULL OR u.account_id = j.account_id)) LIMIT 1`,
    [],
  );
  if (!isExported) return;
  const message = `An export that is not finished has usage of ${month}. Wait for it, or cancel it.`;
  throw httpError(409, message, 'month', 'month_exported', { month });
}
