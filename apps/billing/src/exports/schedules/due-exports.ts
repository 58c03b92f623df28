import { EXPORT_FORMATS, EXPORT_KINDS } from '@tollgate/api';
import { column, readRow, requireRow } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { findDetachedMonth } from '../../usage/detached-months.ts';
import { addMonths, type Month } from '../../usage/partitions.ts';
import { isTooManyOpen, writeExportDown } from '../export-jobs.ts';
import { NEXT_SPAN, STEP } from './export-schedules.ts';

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
type Due = z.infer<typeof dueRow>;

/**
 * Asks for every export that is due at `at`, or now by PostgreSQL's clock. The schedule moves on in the transaction that asks, so that each span is
 * exported once, however many look. Whoever made a schedule may have only so many exports that are not finished: what
 * goes beyond waits for the next time. Spans that would lack usage, for it was taken out of the log, are one export that has failed:
 * whoever waits for them is told so as of any other. Answers how many were asked for.
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
  { partRows, providerName, at }: Parameters<typeof askForDueExports>[1],
): Promise<{ readonly createdBy: string; readonly isFull: boolean } | undefined> =>
  database.transaction(async (manager) => {
    const due = await findDue(manager, at, 's.created_by <> ALL ($2)', full);
    if (!due) return undefined;
    if (await isTooManyOpen(manager, due.created_by)) return { createdBy: due.created_by, isFull: true };
    const gap = await passOver(manager, due, at);
    if (!gap) await moveOn(manager, due);
    await writeExportDown(manager, {
      kind: due.kind,
      format: due.format,
      audience: 'books',
      filters: { ...spanOf(due), ...(gap && { to: gap.to }), model: null, keyId: null },
      partRows,
      providerName,
      requestedBy: due.created_by,
      scheduleId: due.id,
      failure: gap && toFailure(gap),
    });
    return { createdBy: due.created_by, isFull: false };
  });

const findDue = (
  manager: EntityManager,
  at: Date | undefined,
  condition: string,
  value: unknown,
): Promise<Due | undefined> =>
  readRow(
    manager,
    dueRow,
    `SELECT s.id, s.kind, s.format, s.account_id, s.created_by, n.next_from, n.next_to,
       n.following_date::text AS following_date
     FROM billing.export_schedule s, LATERAL (SELECT ${NEXT_SPAN}) n
     WHERE s.status = 'active' AND n.due_at <= coalesce($1::timestamptz, clock_timestamp()) AND NOT n.waits AND ${condition}
     ORDER BY n.due_at, s.id LIMIT 1 FOR UPDATE OF s SKIP LOCKED`,
    [at ?? null, value],
  );

const spanOf = (due: Due) => ({
  from: due.next_from.toISOString(),
  to: due.next_to.toISOString(),
  accountId: due.account_id,
});

/** What a schedule cannot export any more. */
interface Gap {
  /** Where it ends. ISO 8601. */
  readonly to: string;
  /** Of which usage was taken out of the log. */
  readonly months: readonly Month[];
}

/**
 * Moves a schedule on past spans of which usage was taken out of the log, and past what else lies in these months: years of days are
 * one failure. Undefined where the first span lacks nothing.
 */
async function passOver(manager: EntityManager, first: Due, at: Date | undefined): Promise<Gap | undefined> {
  if (first.kind === 'ledger') return undefined;
  const months: Month[] = [];
  let to = first.next_from;
  for (let due: Due | undefined = first; due; due = await findDue(manager, at, 's.id = $2', first.id)) {
    const month = await findDetachedMonth(manager, spanOf(due));
    if (month === undefined) break;
    months.push(month);
    to = await moveOn(manager, due, month);
  }
  return months.length === 0 ? undefined : { to: to.toISOString(), months: months.toSorted() };
}

const movedRow = z.object({ next_from: column.timestamp });

/** Moves a schedule on past a span, and past all others that end with a month. @returns where it goes on. */
async function moveOn(manager: EntityManager, due: Due, month?: Month): Promise<Date> {
  const moved = await requireRow(
    manager,
    movedRow,
    `UPDATE billing.export_schedule s SET next_date = greatest($2::date, (
       SELECT max(day)::date
       FROM generate_series($2::timestamp, $3::timestamp AT TIME ZONE 'UTC' AT TIME ZONE s.time_zone, ${STEP}) AS day
       WHERE billing.local_month_start(day::date, s.time_zone) <= $3::timestamp AT TIME ZONE 'UTC'))
     WHERE id = $1 RETURNING billing.local_month_start(next_date, time_zone) AS next_from`,
    [due.id, due.following_date, month === undefined ? null : `${addMonths(month, 1)}-01`],
  );
  return moved.next_from;
}

function toFailure({ months }: Gap): string {
  const [first, last] = [months[0], months.at(-1)];
  return (
    `Usage of ${first === last ? first : `${first} to ${last}`} was taken out of the usage log before it was due to be exported. ` +
    'Of this span only the ledger can be exported. The schedule goes on with what follows it.'
  );
}
