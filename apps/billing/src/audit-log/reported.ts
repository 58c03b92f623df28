import type { AuditReport, AuditReported } from '@tollgate/contracts';
import type { DataSource } from 'typeorm';
import { uuidv7 } from '../accounts/uuid.ts';

/** Writes down what pricing has published, each version once, and answers up to which one it is known. */
export async function noteReported(
  database: Pick<DataSource, 'query'>,
  { entries }: AuditReport,
): Promise<AuditReported> {
  for (const { version, actor, reason, at, changes } of entries) {
    await database.query(
      `INSERT INTO billing.audit_log (id, at, source, source_number, actor, action, object, reason, after)
       VALUES ($1, $2, 'pricing', $3, $4, 'catalogue.publish', $5, $6, $7)
       ON CONFLICT (source, source_number) DO NOTHING`,
      [uuidv7(), at, version, actor, `catalogue version ${version}`, reason, JSON.stringify({ changes })],
    );
  }
  const rows: { up_to: number }[] = await database.query(
    `SELECT coalesce(max(source_number), 0)::int AS up_to FROM billing.audit_log WHERE source = 'pricing'`,
  );
  return { up_to: rows[0]?.up_to ?? 0 };
}
