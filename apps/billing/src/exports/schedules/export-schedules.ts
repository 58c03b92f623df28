import {
  EXPORT_FORMATS,
  EXPORT_KINDS,
  EXPORT_STATUSES,
  type exportSchedules,
  type RequestOf,
} from '@tollgate/api';
import { column, httpError, readRow, readRows } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { uuidv7 } from '../../accounts/uuid.ts';
import { audit } from '../../audit-log/audit.ts';

type NewSchedule = RequestOf<typeof exportSchedules.createSchedule>['body'];
type Schedule = ReturnType<typeof shown>;

const scheduleRow = z.object({
  id: column.uuid,
  name: column.text,
  kind: z.enum(EXPORT_KINDS),
  format: z.enum(EXPORT_FORMATS),
  account_id: column.uuid.nullable(),
  every: z.enum(['day', 'month']),
  day: column.int,
  hour: column.int,
  time_zone: column.text,
  after_close: column.boolean,
  status: z.enum(['active', 'paused']),
  next_from: column.timestamp,
  next_to: column.timestamp,
  due_at: column.timestamp,
  waits: column.boolean,
  created_by: column.text,
  created_at: column.timestamp,
  last_id: column.uuid.nullable(),
  last_status: z.enum(EXPORT_STATUSES).nullable(),
  last_from: column.timestamp.nullable(),
  last_at: column.timestamp.nullable(),
});
type ScheduleRow = z.infer<typeof scheduleRow>;
type ScheduleStatus = ScheduleRow['status'];

/** How much each export of a schedule holds. */
export const STEP = `CASE s.every WHEN 'day' THEN interval '1 day' ELSE interval '1 month' END`;
const AFTER = `(s.next_date + ${STEP})::date`;

/** What of a schedule comes next: the span, when it is due, and whether its month is still open somewhere. */
export const NEXT_SPAN = `
  billing.local_month_start(s.next_date, s.time_zone) AS next_from,
  billing.local_month_start(${AFTER}, s.time_zone) AS next_to,
  ${AFTER} AS following_date,
  (${AFTER}::timestamp + make_interval(days => s.day - 1, hours => s.hour)) AT TIME ZONE s.time_zone AS due_at,
  s.after_close AND EXISTS (
    SELECT FROM billing.open_period p
    WHERE p.month <= s.next_date AND (s.account_id IS NULL OR p.account_id = s.account_id)
  ) AS waits`;

/** Schedules with what each did last and does next, the oldest first. */
export async function listSchedules(
  manager: Pick<EntityManager, 'query'>,
  id: string | null = null,
): Promise<Schedule[]> {
  const rows = await readRows(
    manager,
    scheduleRow,
    `SELECT s.*, ${NEXT_SPAN}, j.id AS last_id, j.status AS last_status, j.booked_from AS last_from,
       j.created_at AS last_at
     FROM billing.export_schedule s
     LEFT JOIN LATERAL (
       SELECT * FROM billing.export_job WHERE schedule_id = s.id ORDER BY booked_from DESC LIMIT 1
     ) j ON true
     WHERE $1::uuid IS NULL OR s.id = $1 ORDER BY s.id`,
    [id],
  );
  return rows.map(shown);
}

/** Writes a schedule down. @throws HttpException 400 for a time zone or an account that is not there. */
export async function createSchedule(
  database: DataSource,
  params: NewSchedule,
  createdBy: string,
): Promise<Schedule> {
  const id = uuidv7();
  return database.transaction(async (manager) => {
    await requireZoneAndAccount(manager, params);
    await manager.query(
      `INSERT INTO billing.export_schedule
         (id, name, kind, format, account_id, every, day, hour, time_zone, after_close, next_date, created_by)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
         coalesce($11::date, date_trunc($6, now() AT TIME ZONE $9)::date), $12)`,
      [
        id,
        params.name,
        params.kind,
        params.format,
        params.account_id,
        params.every,
        params.every === 'day' ? 1 : params.day,
        params.hour,
        params.time_zone,
        params.after_close,
        params.first_date ?? null,
        createdBy,
      ],
    );
    await audit(manager, {
      action: 'export-schedule.create',
      object: `export schedule ${id}`,
      accountId: params.account_id,
      after: params,
    });
    return oneOf(manager, id);
  });
}

const scheduleNameRow = z.object({ account_id: column.uuid.nullable(), name: column.text });

/** Halts a schedule or lets it go on; what was due meanwhile is made up for. @throws HttpException 404 */
export async function setScheduleStatus(
  database: DataSource,
  id: string,
  status: ScheduleStatus,
): Promise<Schedule> {
  return database.transaction(async (manager) => {
    const rows = await readRows(
      manager,
      scheduleNameRow,
      'UPDATE billing.export_schedule SET status = $2 WHERE id = $1 RETURNING account_id, name',
      [id, status],
    );
    const [changed] = rows;
    if (!changed) throw noSuchSchedule();
    await audit(manager, {
      action: 'export-schedule.change',
      object: `export schedule ${id}`,
      accountId: changed.account_id,
      after: { name: changed.name, status },
    });
    return oneOf(manager, id);
  });
}

/** Takes a schedule away; the exports that it asked for stay. @throws HttpException 404 */
export async function removeSchedule(database: DataSource, id: string): Promise<void> {
  await database.transaction(async (manager) => {
    const rows = await readRows(
      manager,
      scheduleNameRow,
      'DELETE FROM billing.export_schedule WHERE id = $1 RETURNING account_id, name',
      [id],
    );
    const [removed] = rows;
    if (!removed) throw noSuchSchedule();
    await audit(manager, {
      action: 'export-schedule.delete',
      object: `export schedule ${id}`,
      accountId: removed.account_id,
      before: { name: removed.name },
    });
  });
}

const noSuchSchedule = (): Error => httpError(404, 'There is no such schedule.', 'id', 'not_found');

async function oneOf(manager: EntityManager, id: string): Promise<Schedule> {
  const [schedule] = await listSchedules(manager, id);
  if (!schedule) throw noSuchSchedule();
  return schedule;
}

const presenceRow = z.object({ zone: column.boolean, account: column.boolean });

async function requireZoneAndAccount(manager: EntityManager, params: NewSchedule): Promise<void> {
  const found = await readRow(
    manager,
    presenceRow,
    `SELECT EXISTS (SELECT FROM pg_timezone_names WHERE name = $1) AS zone,
       $2::uuid IS NULL OR EXISTS (SELECT FROM billing.account WHERE id = $2) AS account`,
    [params.time_zone, params.account_id],
  );
  if (!found?.zone)
    throw httpError(
      400,
      'time_zone: must be an IANA name such as "Europe/Berlin".',
      'time_zone',
      'unknown_time_zone',
    );
  if (!found.account)
    throw httpError(400, 'account_id: there is no such account.', 'account_id', 'no_such_account');
}

function lastOf({ last_id, last_status, last_from, last_at }: ScheduleRow) {
  if (last_id === null || last_status === null || last_from === null || last_at === null) return null;
  return {
    export_id: last_id,
    status: last_status,
    from: last_from.toISOString(),
    asked_at: last_at.toISOString(),
  };
}

const shown = (row: ScheduleRow) => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  format: row.format,
  account_id: row.account_id,
  every: row.every,
  day: row.day,
  hour: row.hour,
  time_zone: row.time_zone,
  after_close: row.after_close,
  status: row.status,
  next: {
    from: row.next_from.toISOString(),
    to: row.next_to.toISOString(),
    due_at: row.due_at.toISOString(),
    waits_for_close: row.waits,
  },
  last: lastOf(row),
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
});
