import { EXPORT_FORMATS, EXPORT_KINDS } from '@tollgate/api';
import { column, readRow } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { findDetachedMonth } from '../../usage/detached-months.ts';
import { isTooManyOpen, writeExportDown } from '../export-jobs.ts';
import { NEXT_SPAN } from './export-schedules.ts';

/** What a schedule may make up for at once after a time in which nobody looked. */
const MAX_AT_ONCE = 31;

const dueRow = z.object({
  id: column.uuid,
  kind: z.enum(EXPORT_KINDS),
  format: z.enum(EXPORT_FORMATS),
  account_id: column.uuid.nullable(),
  created_by: column.text,
  next_from: column.timestamp,
  next_to: column.timestamp,
  following_date: column.text,
});

/**
 * Asks for every export that is due at `at`. The schedule moves on in the transaction that asks, so that each span is
 * exported once, however many look. Whoever made a schedule may have only so many exports that are not finished: what
 * goes beyond waits for the next time. One that would lack usage, for it was taken out of the log, has failed: whoever waits for
 * it is told so as of any other. Answers how many were asked for.
 */
export async function askForDueExports(
  database: DataSource,
  parts: { readonly partRows: number; readonly providerName: string; readonly at?: Date },
): Promise<number> {
  let asked = 0;
  const full = new Set<string>();
  while (asked < MAX_AT_ONCE) {
    const outcome = await askForOne(database, [...full], parts);
    if (outcome === undefined) break;
    if (outcome.isFull) full.add(outcome.createdBy);
    else asked += 1;
  }
  return asked;
}

const askForOne = (
  database: DataSource,
  full: readonly string[],
  { partRows, providerName, at = new Date() }: Parameters<typeof askForDueExports>[1],
): Promise<{ readonly createdBy: string; readonly isFull: boolean } | undefined> =>
  database.transaction(async (manager) => {
    const due = await readRow(
      manager,
      dueRow,
      `SELECT s.id, s.kind, s.format, s.account_id, s.created_by, n.next_from, n.next_to,
         n.following_date::text AS following_date
       FROM billing.export_schedule s, LATERAL (SELECT ${NEXT_SPAN}) n
       WHERE s.status = 'active' AND n.due_at <= $1 AND NOT n.waits AND s.created_by <> ALL ($2)
       ORDER BY n.due_at, s.id LIMIT 1 FOR UPDATE OF s SKIP LOCKED`,
      [at, full],
    );
    if (!due) return undefined;
    if (await isTooManyOpen(manager, due.created_by)) return { createdBy: due.created_by, isFull: true };
    const span = {
      from: due.next_from.toISOString(),
      to: due.next_to.toISOString(),
      accountId: due.account_id,
    };
    const lacking = due.kind === 'ledger' ? undefined : await findDetachedMonth(manager, span);
    await writeExportDown(manager, {
      kind: due.kind,
      format: due.format,
      audience: 'books',
      filters: { ...span, model: null, keyId: null },
      partRows,
      providerName,
      requestedBy: due.created_by,
      scheduleId: due.id,
      failure: lacking && `Usage of ${lacking} was taken out of the usage log before this export was due.`,
    });
    await manager.query('UPDATE billing.export_schedule SET next_date = $2 WHERE id = $1', [
      due.id,
      due.following_date,
    ]);
    return { createdBy: due.created_by, isFull: false };
  });
