import type { ExportPart } from './export-job.ts';

interface PartRow {
  part: number;
  name: string;
  rows: string;
  bytes: string;
  sha256: string;
  last_key: string;
  sums: Record<string, string>;
}

/** The files of an export that are complete, in order. */
export async function listParts(
  database: { query(text: string, values: unknown[]): Promise<unknown> },
  id: string,
): Promise<ExportPart[]> {
  const answer = await database.query('SELECT * FROM billing.export_part WHERE job_id = $1 ORDER BY part', [
    id,
  ]);
  // The driver answers with an object, TypeORM with the rows alone.
  const rows = (Array.isArray(answer) ? answer : (answer as { rows: unknown[] }).rows) as PartRow[];
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
