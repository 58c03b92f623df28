import { column, readRows, type SqlRunner } from '@tollgate/platform/sql';
import { z } from 'zod';
import type { ExportPart } from './export-job.ts';

const partRow = z.object({
  part: column.int,
  name: column.text,
  rows: column.bigint,
  bytes: column.bigint,
  sha256: column.text,
  last_key: column.bigint,
  sums: z.record(z.string(), z.string()),
});

/** The files of an export that are complete, in order. */
export async function listParts(database: SqlRunner, id: string): Promise<ExportPart[]> {
  const rows = await readRows(
    database,
    partRow,
    'SELECT * FROM billing.export_part WHERE job_id = $1 ORDER BY part',
    [id],
  );
  return rows.map((row) => ({
    part: row.part,
    name: row.name,
    rows: Number(row.rows),
    bytes: Number(row.bytes),
    sha256: row.sha256,
    lastKey: Number(row.last_key),
    sums: row.sums,
  }));
}
