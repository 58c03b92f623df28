import { column, countChanged, hasRows, readRows } from '@tollgate/platform';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import type { ExportPlan } from './export-job.ts';
import { findExport } from './export-jobs.ts';
import type { Progress } from './write-export.ts';

/** How often an export is begun before it is given up. */
const ATTEMPTS_MAX = 5;

/** The right to write an export, as long as nobody else took it and it was not cancelled. */
export interface Lease {
  readonly id: string;
  readonly plan: ExportPlan;
  readonly attempt: number;
}

const claimedExportRow = z.object({ id: column.uuid, attempts: column.int });

/** Each second there is nothing, which this finds in a fifth of the time that PostgreSQL takes to plan the rest. */
export const hasOpenExports = (database: DataSource): Promise<boolean> =>
  hasRows(database, `SELECT FROM billing.export_job WHERE status IN ('queued', 'running') LIMIT 1`);

const givenUpRow = z.object({ id: column.uuid });

/** Gives up exports whose writers were not heard of for `leaseS`, for the last time. @returns their ids. */
export async function giveUpExports(database: DataSource, leaseS: number): Promise<string[]> {
  const rows = await readRows(
    database,
    givenUpRow,
    `UPDATE billing.export_job SET status = 'failed', finished_at = now(), claimed_by = NULL,
       error = coalesce(error, 'whatever wrote it was ended again and again')
     WHERE status = 'running' AND attempts >= $1 AND heartbeat_at < now() - make_interval(secs => $2) RETURNING id`,
    [ATTEMPTS_MAX, leaseS],
  );
  return rows.map(({ id }) => id);
}

/**
 * Takes the oldest export that waits, or whose writer was not heard of for `leaseS`. Finance goes before customers, of whom there
 * are many.
 */
export async function leaseExport(database: DataSource, leaseS: number): Promise<Lease | undefined> {
  const id = randomUUID();
  const rows = await readRows(
    database,
    claimedExportRow,
    `UPDATE billing.export_job SET status = 'running', claimed_by = $1, claimed_at = now(), heartbeat_at = now(),
       attempts = attempts + 1,
       rows_done = kept.rows, claimed_rows = kept.rows, bytes = kept.bytes
     FROM (
       SELECT job.id AS job_id,
         coalesce(sum(part.rows), 0) + coalesce((SELECT rows FROM billing.export_draft d WHERE d.job_id = job.id), 0) AS rows,
         coalesce(sum(part.bytes), 0) AS bytes
       FROM (
         SELECT id FROM billing.export_job
         WHERE (status = 'queued' AND not_before <= now())
           OR (status = 'running' AND heartbeat_at < now() - make_interval(secs => $2))
         ORDER BY audience = 'customer', created_at FOR UPDATE SKIP LOCKED LIMIT 1
       ) AS job LEFT JOIN billing.export_part part ON part.job_id = job.id GROUP BY job.id
     ) AS kept
     WHERE id = kept.job_id RETURNING id, attempts`,
    [id, leaseS],
  );
  const [taken] = rows;
  const job = taken && (await findExport(database, taken.id));
  return job && { id, plan: job.plan, attempt: taken.attempts };
}

/** What a statement is about that only the holder of a lease may do. */
const HELD = `id = $1 AND claimed_by = $2 AND status = 'running'`;

async function change(database: DataSource, lease: Lease, set: string, values: unknown[]): Promise<boolean> {
  const count = await countChanged(database, `UPDATE billing.export_job SET ${set} WHERE ${HELD}`, [
    lease.plan.id,
    lease.id,
    ...values,
  ]);
  return count > 0;
}

/** Says that the writer lives. False when the lease is no longer its own. */
export const heartbeat = (
  database: DataSource,
  lease: Lease,
  progress: Progress | undefined,
): Promise<boolean> =>
  progress
    ? change(
        database,
        lease,
        'heartbeat_at = now(), rows_done = $3, bytes = $4, rows_total = coalesce($5, rows_total)',
        [progress.rows, progress.bytes, progress.total],
      )
    : change(database, lease, 'heartbeat_at = now()', []);

export const finish = (
  database: DataSource,
  lease: Lease,
  done: Progress & { readonly manifest: string },
): Promise<boolean> =>
  change(
    database,
    lease,
    `status = 'done', finished_at = now(), heartbeat_at = now(), claimed_by = NULL, error = NULL,
     rows_done = $3, rows_total = $3, bytes = $4, manifest = $5`,
    [done.rows, done.bytes, done.manifest],
  );

/** Puts an export back after a failure, to be tried again later, or gives it up. */
export const putBack = (database: DataSource, lease: Lease, reason: string): Promise<boolean> =>
  lease.attempt >= ATTEMPTS_MAX
    ? change(database, lease, `status = 'failed', finished_at = now(), claimed_by = NULL, error = $3`, [
        reason,
      ])
    : change(
        database,
        lease,
        `status = 'queued', claimed_by = NULL, error = $3, not_before = now() + make_interval(secs => $4)`,
        [reason, 2 ** lease.attempt],
      );

/** Gives an export to whoever is next: this process ends in order, which is no failed attempt. */
export const release = (database: DataSource, lease: Lease): Promise<boolean> =>
  change(database, lease, `status = 'queued', claimed_by = NULL, attempts = attempts - 1`, []);
