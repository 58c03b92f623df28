import {
  EXPORT_FORMATS,
  EXPORT_KINDS,
  EXPORT_STATUSES,
  type dataExports,
  type ExportFormat,
  type ExportKind,
  type ExportStatus,
  type RequestOf,
} from '@tollgate/api';
import { column, httpError, readRow, readRows, requireRow } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { uuidv7 } from '../accounts/uuid.ts';
import { audit } from '../audit-log/audit.ts';
import { toOrder } from '../database/order.ts';
import { requireAttached } from '../usage/detached-months.ts';
import { type Audience, AUDIENCES, type ExportFilters, type ExportPlan } from './export-job.ts';

interface NewExport {
  readonly kind: ExportKind;
  readonly format: ExportFormat;
  readonly audience: Audience;
  readonly filters: ExportFilters;
  readonly partRows: number;
  readonly providerName: string;
  readonly requestedBy: string;
  /** The schedule that asks for it. */
  readonly scheduleId?: string;
  /** Why it can never be written: it is one that failed from the start. */
  readonly failure?: string | undefined;
}

/** An export with how far it is. */
export interface ExportJob {
  readonly plan: ExportPlan;
  readonly requestedBy: string;
  readonly scheduleId: string | null;
  readonly status: ExportStatus;
  /** Null as long as it is not known. */
  readonly rowsTotal: number | null;
  readonly rowsDone: number;
  readonly bytes: number;
  /** Rows a second of whoever writes it now. */
  readonly rowsPerSecond: number | null;
  readonly error: string | null;
  readonly manifest: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  /** When its files were removed; null while they are there. */
  readonly filesRemovedAt: Date | null;
}

/** Exports of one person that are not finished: more are refused. */
const MAX_OPEN = 10;

const jobRow = z.object({
  id: column.uuid,
  kind: z.enum(EXPORT_KINDS),
  format: z.enum(EXPORT_FORMATS),
  audience: z.enum(AUDIENCES),
  booked_from: column.timestamp,
  booked_to: column.timestamp,
  account_id: column.uuid.nullable(),
  model: column.text.nullable(),
  key_id: column.uuid.nullable(),
  watermark: column.bigint,
  part_rows: column.int,
  provider_name: column.text,
  requested_by: column.text,
  schedule_id: column.uuid.nullable(),
  status: z.enum(EXPORT_STATUSES),
  rows_total: column.bigint.nullable(),
  rows_done: column.bigint,
  bytes: column.bigint,
  rows_per_second: column.text.nullable(),
  error: column.text.nullable(),
  manifest: column.text.nullable(),
  created_at: column.timestamp,
  finished_at: column.timestamp.nullable(),
  files_removed_at: column.timestamp.nullable(),
});
type JobRow = z.infer<typeof jobRow>;

const SELECT_JOB = `SELECT *, CASE WHEN status = 'running' AND heartbeat_at > claimed_at
  THEN (rows_done - claimed_rows) / extract(epoch FROM heartbeat_at - claimed_at) END AS rows_per_second
  FROM billing.export_job`;

/**
 * Writes an export down; what is posted from now on is not in it.
 *
 * @throws HttpException 429 for too many at once, 409 for usage that was taken out of the log.
 */
export async function createExport(database: DataSource, request: NewExport): Promise<ExportJob> {
  const id = await database.transaction(async (manager) => {
    if (await isTooManyOpen(manager, request.requestedBy))
      throw httpError(
        429,
        `You have ${MAX_OPEN} exports that are not finished: wait for one, or cancel one.`,
        null,
        'too_many_exports',
        { max: MAX_OPEN },
      );
    if (request.kind !== 'ledger') await requireAttached(manager, request.filters);
    return writeExportDown(manager, request);
  });
  const job = await findExport(database, id);
  if (!job) throw new Error('the export is gone as soon as it was made');
  return job;
}

const countRow = z.object({ count: column.bigint });

/** Whether somebody has so many exports that are not finished that another is refused. */
export async function isTooManyOpen(manager: EntityManager, requestedBy: string): Promise<boolean> {
  const open = await readRow(
    manager,
    countRow,
    `SELECT count(*) FROM billing.export_job WHERE requested_by = $1 AND status IN ('queued', 'running')`,
    [requestedBy],
  );
  return Number(open?.count) >= MAX_OPEN;
}

/** Writes an export down in a transaction and answers its id. */
export async function writeExportDown(manager: EntityManager, request: NewExport): Promise<string> {
  const id = uuidv7();
  const { filters } = request;
  await manager.query(
    `INSERT INTO billing.export_job (id, kind, format, audience, booked_from, booked_to, account_id, model, key_id,
       watermark, part_rows, provider_name, requested_by, schedule_id, status, error, finished_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, last_number, $10, $11, $12, $13,
       CASE WHEN $14::text IS NULL THEN 'queued' ELSE 'failed' END, $14, CASE WHEN $14::text IS NOT NULL THEN now() END
     FROM billing.journal`,
    [
      id,
      request.kind,
      request.format,
      request.audience,
      filters.from,
      filters.to,
      filters.accountId,
      filters.model,
      filters.keyId,
      request.partRows,
      request.providerName,
      request.requestedBy,
      request.scheduleId ?? null,
      request.failure ?? null,
    ],
  );
  await audit(manager, {
    action: 'export.create',
    object: `export ${id}`,
    accountId: filters.accountId,
    actor: { email: request.requestedBy },
    after: {
      kind: request.kind,
      format: request.format,
      ...filters,
      ...(request.scheduleId === undefined ? {} : { schedule: request.scheduleId }),
    },
  });
  if (request.kind === 'focus')
    await manager.query(
      `INSERT INTO billing.export_account (job_id, account_id, name, time_zone)
       SELECT $1, id, name, time_zone FROM billing.account WHERE $2::uuid IS NULL OR id = $2`,
      [id, filters.accountId],
    );
  return id;
}

export async function findExport(database: DataSource, id: string): Promise<ExportJob | undefined> {
  const row = await readRow(database, jobRow, `${SELECT_JOB} WHERE id = $1`, [id]);
  return row && jobOf(row);
}

/** There are as many as people asked for within the time that they are kept. */
const ORDERS = {
  kind: 'kind',
  status: 'status',
  rows: 'rows_done',
  size: 'bytes',
  asked: 'created_at',
} as const;

/** All of them, or those that customers of one account may see. */
export async function listExports(
  database: DataSource,
  page: {
    readonly customersOf: string | null;
    readonly scheduleId: string | null;
    readonly sort: RequestOf<typeof dataExports.listExports>['query']['sort'];
    readonly limit: number;
    readonly offset: number;
  },
): Promise<{ items: ExportJob[]; total: number }> {
  const seen = `WHERE ($1::uuid IS NULL OR (audience = 'customer' AND account_id = $1))
    AND ($2::uuid IS NULL OR schedule_id = $2)`;
  const [rows, { count }] = await Promise.all([
    readRows(
      database,
      jobRow,
      `${SELECT_JOB} ${seen} ORDER BY ${toOrder(ORDERS, page.sort ?? '-asked')}, created_at DESC, id DESC LIMIT $3 OFFSET $4`,
      [page.customersOf, page.scheduleId, page.limit, page.offset],
    ),
    requireRow(database, countRow, `SELECT count(*) FROM billing.export_job ${seen}`, [
      page.customersOf,
      page.scheduleId,
    ]),
  ]);
  return { items: rows.map(jobOf), total: Number(count) };
}

const cancelledExportRow = z.object({ account_id: column.uuid.nullable() });

/** Ends an export that is not finished. False when it is. */
export async function cancelExport(database: DataSource, id: string): Promise<boolean> {
  return database.transaction(async (manager) => {
    const rows = await readRows(
      manager,
      cancelledExportRow,
      `UPDATE billing.export_job SET status = 'cancelled', finished_at = now(), claimed_by = NULL
       WHERE id = $1 AND status IN ('queued', 'running') RETURNING account_id`,
      [id],
    );
    const [cancelled] = rows;
    if (!cancelled) return false;
    await audit(manager, {
      action: 'export.cancel',
      object: `export ${id}`,
      accountId: cancelled.account_id,
    });
    return true;
  });
}

const jobOf = (row: JobRow): ExportJob => ({
  plan: {
    id: row.id,
    kind: row.kind,
    format: row.format,
    audience: row.audience,
    filters: {
      from: row.booked_from.toISOString(),
      to: row.booked_to.toISOString(),
      accountId: row.account_id,
      model: row.model,
      keyId: row.key_id,
    },
    watermark: Number(row.watermark),
    partRows: row.part_rows,
    providerName: row.provider_name,
  },
  requestedBy: row.requested_by,
  scheduleId: row.schedule_id,
  status: row.status,
  rowsTotal: row.rows_total === null ? null : Number(row.rows_total),
  rowsDone: Number(row.rows_done),
  bytes: Number(row.bytes),
  rowsPerSecond: row.rows_per_second === null ? null : Math.max(0, Math.round(Number(row.rows_per_second))),
  error: row.error,
  manifest: row.manifest,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
  filesRemovedAt: row.files_removed_at,
});
