import type { AuditReport, AuditReported } from '@tollgate/contracts';
import { column, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { uuidv7 } from '../accounts/uuid.ts';

const reportedVersionRow = z.object({ version: column.int });

/**
 * Writes down what pricing has published, each version once, and answers which versions are still missing. Each is looked
 * for by itself: one that is there proves nothing of those before it.
 */
export async function noteReported(
  database: Pick<DataSource, 'query'>,
  { asked, entries }: AuditReport,
): Promise<AuditReported> {
  for (const { version, actor, reason, at, changes } of entries) {
    await database.query(
      `INSERT INTO billing.audit_log (id, at, source, source_number, actor, action, object, reason, after)
       VALUES ($1, $2, 'pricing', $3, $4, 'catalogue.publish', $5, $6, $7)
       ON CONFLICT (source, source_number) DO NOTHING`,
      [uuidv7(), at, version, actor, `catalogue version ${version}`, reason, JSON.stringify({ changes })],
    );
  }
  const rows = await readRows(
    database,
    reportedVersionRow,
    `SELECT version FROM unnest($1::int[]) AS asked (version) WHERE NOT EXISTS (
       SELECT FROM billing.audit_log WHERE source = 'pricing' AND source_number = asked.version)`,
    [asked],
  );
  return { missing: rows.map(({ version }) => version) };
}
