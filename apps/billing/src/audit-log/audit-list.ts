import { type AnswerOf, AUDIT_SOURCES, type auditLog, type RequestOf } from '@tollgate/api';
import { column, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';

type AuditFilter = RequestOf<typeof auditLog.listAuditLog>['query'];
type AuditPage = AnswerOf<typeof auditLog.listAuditLog>;

const values = z.record(z.string(), z.unknown()).nullable();
const auditRow = z.object({
  id: column.uuid,
  at: column.timestamp,
  source: z.enum(AUDIT_SOURCES),
  actor: column.text,
  actor_id: column.uuid.nullable(),
  role: column.text.nullable(),
  action: column.text,
  object: column.text.nullable(),
  account_id: column.uuid.nullable(),
  reason: column.text.nullable(),
  before: values,
  after: values,
  request_id: column.text.nullable(),
  address: column.text.nullable(),
});

/** A page of the audit log, the newest first. */
export async function listAudit(
  database: Pick<DataSource, 'query'>,
  filter: AuditFilter,
): Promise<AuditPage> {
  const conditions: string[] = [];
  const values: unknown[] = [];
  const where = (condition: (place: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  const { action } = filter;
  where((at) => `account_id = ${at}`, filter.account_id);
  where((at) => `lower(actor) = lower(${at})`, filter.actor);
  where((at) => (action?.endsWith('.') ? `starts_with(action, ${at})` : `action = ${at}`), action);
  where((at) => `object = ${at}`, filter.object);
  where((at) => `source = ${at}`, filter.source);
  where((at) => `at >= ${at}`, filter.from);
  where((at) => `at < ${at}`, filter.to);
  where((at) => `(at, id) < (SELECT at, id FROM billing.audit_log WHERE id = ${at})`, filter.cursor);
  values.push(filter.limit + 1);
  const rows = await readRows(
    database,
    auditRow,
    `SELECT id, at, source, actor, actor_id, role, action, object, account_id, reason, before, after, request_id, address
     FROM billing.audit_log WHERE ${conditions.length === 0 ? 'true' : conditions.join(' AND ')}
     ORDER BY at DESC, id DESC LIMIT $${values.length}`,
    values,
  );
  const items = rows.slice(0, filter.limit);
  return {
    items: items.map((row) => ({ ...row, at: row.at.toISOString() })),
    next: rows.length > filter.limit ? (items.at(-1)?.id ?? null) : null,
  };
}
