import { column, hasRows, readRow, readRows, type SqlRunner } from '@tollgate/platform/sql';
import { z } from 'zod';
import type { ExportPart } from './export-job.ts';
import { WRITTEN_BY } from './manifest.ts';
import { type ExportStorage, uploadSchema } from './storage/storage.ts';
import type { Left } from './write-export.ts';
import type { PartDraft } from './write-part.ts';

const partColumns = {
  part: column.int,
  name: column.text,
  rows: column.bigint,
  bytes: column.bigint,
  sha256: column.text,
  last_key: column.bigint,
  sums: z.record(z.string(), z.string()),
};
const partRow = z.object(partColumns);

const toPart = (row: z.infer<typeof partRow>): ExportPart => ({
  part: row.part,
  name: row.name,
  rows: Number(row.rows),
  bytes: Number(row.bytes),
  sha256: row.sha256,
  lastKey: Number(row.last_key),
  sums: row.sums,
});

/** The files of an export that are complete, in order. */
export async function listParts(database: SqlRunner, id: string): Promise<ExportPart[]> {
  const rows = await readRows(
    database,
    partRow,
    'SELECT * FROM billing.export_part WHERE job_id = $1 ORDER BY part',
    [id],
  );
  return rows.map(toPart);
}

const draftRow = z.object({
  ...partColumns,
  writer: column.uuid,
  rows_out: column.bigint,
  encoder: z.instanceof(Uint8Array),
  upload: uploadSchema.nullable(),
});

/** How far the file is that comes next. */
async function findDraft(database: SqlRunner, id: string): Promise<PartDraft | undefined> {
  const row = await readRow(database, draftRow, 'SELECT * FROM billing.export_draft WHERE job_id = $1', [id]);
  if (!row) return undefined;
  const { writer, encoder, upload } = row;
  return { ...toPart(row), writer, rowsOut: Number(row.rows_out), encoder, upload };
}

/** Whose export it is, as long as nobody else took it and it was not cancelled. */
interface HeldLease {
  readonly exportId: string;
  readonly leaseId: string;
}

const HELD = `SELECT id FROM billing.export_job WHERE id = $1 AND claimed_by = $2 AND status = 'running' FOR UPDATE`;
const partValues = ({ exportId, leaseId }: HeldLease, part: ExportPart): unknown[] => [
  exportId,
  leaseId,
  part.part,
  part.name,
  part.rows,
  part.bytes,
  part.sha256,
  part.lastKey,
  JSON.stringify(part.sums),
  WRITTEN_BY,
];

const OTHERS = `SELECT FROM (
    SELECT generator FROM billing.export_part WHERE job_id = $1
    UNION ALL SELECT generator FROM billing.export_draft WHERE job_id = $1
  ) AS written WHERE generator IS DISTINCT FROM $2 LIMIT 1`;

/**
 * What earlier writers have left of an export: nothing where any of it is of another generator, as an upgrade leaves it. It is then
 * begun again, for its files would not be what its manifest says.
 *
 * @throws when the export was given to another writer meanwhile.
 */
export async function takeUp(database: SqlRunner, lease: HeldLease): Promise<Left> {
  const { exportId, leaseId } = lease;
  if (await hasRows(database, OTHERS, [exportId, WRITTEN_BY]))
    await writeWhileHeld(
      database,
      `WITH job AS (${HELD}),
       draft AS (DELETE FROM billing.export_draft WHERE job_id IN (SELECT id FROM job)),
       parts AS (DELETE FROM billing.export_part WHERE job_id IN (SELECT id FROM job))
       SELECT id FROM job`,
      [exportId, leaseId],
    );
  return { parts: await listParts(database, exportId), draft: await findDraft(database, exportId) };
}

/** @throws when the export was given to another writer meanwhile. */
async function writeWhileHeld(database: SqlRunner, text: string, values: unknown[]): Promise<void> {
  if (!(await hasRows(database, text, values)))
    throw new Error('the export is no longer this one’s to write');
}

/** Writes down that a file is complete. */
export const keepPart = (database: SqlRunner, lease: HeldLease, part: ExportPart): Promise<void> =>
  writeWhileHeld(
    database,
    `WITH job AS (${HELD}),
     gone AS (DELETE FROM billing.export_draft WHERE job_id IN (SELECT id FROM job))
     INSERT INTO billing.export_part (job_id, part, name, rows, bytes, sha256, last_key, sums, generator)
     SELECT id, $3, $4, $5, $6, $7, $8, $9, $10 FROM job RETURNING part`,
    partValues(lease, part),
  );

/** Writes down how far a file is. */
export const saveDraft = (
  database: SqlRunner,
  lease: HeldLease,
  draft: Omit<PartDraft, 'writer'>,
): Promise<void> =>
  writeWhileHeld(
    database,
    `WITH job AS (${HELD})
     INSERT INTO billing.export_draft AS d (job_id, writer, part, name, rows, bytes, sha256, last_key, sums, generator,
       rows_out, encoder, upload)
     SELECT id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 FROM job
     ON CONFLICT (job_id) DO UPDATE SET writer = excluded.writer, part = excluded.part, name = excluded.name,
       rows = excluded.rows, bytes = excluded.bytes, sha256 = excluded.sha256, last_key = excluded.last_key,
       sums = excluded.sums, generator = excluded.generator, rows_out = excluded.rows_out, encoder = excluded.encoder,
       upload = excluded.upload
     RETURNING part`,
    [
      ...partValues(lease, draft),
      draft.rowsOut,
      Buffer.from(draft.encoder),
      draft.upload && JSON.stringify(draft.upload),
    ],
  );

/** Has the file begun again that comes next. */
export const dropDraft = (database: SqlRunner, { exportId, leaseId }: HeldLease): Promise<void> =>
  writeWhileHeld(
    database,
    `WITH job AS (${HELD}),
     gone AS (DELETE FROM billing.export_draft WHERE job_id IN (SELECT id FROM job))
     SELECT id FROM job`,
    [exportId, leaseId],
  );

/** Takes away the files of an export that has ended, and what there is of one that was begun. */
export async function removeFiles(
  database: SqlRunner,
  storage: Pick<ExportStorage, 'remove'>,
  exportId: string,
): Promise<void> {
  await storage.remove(exportId, await findDraft(database, exportId));
  await database.query('DELETE FROM billing.export_draft WHERE job_id = $1', [exportId]);
}
