import { type AnswerOf, AUDIT_SOURCES, type auditLog, type RequestOf } from '@tollgate/api';
import { column, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { createConditions } from '../database/conditions.ts';
import { readSort } from '../database/order.ts';

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

/** What the log may be ordered by, each with an index; what is equal is in the order of its time. */
const ORDERS = {
  at: ['at', 'id'],
  actor: ['lower(actor)', 'at', 'id'],
  action: ['action', 'at', 'id'],
} as const;

/** A page of the audit log, the newest first where no order is asked for. */
export async function listAudit(
  database: Pick<DataSource, 'query'>,
  filter: AuditFilter,
): Promise<AuditPage> {
  const { where, joined, values } = createConditions();
  const { action } = filter;
  where((at) => `account_id = ${at}`, filter.account_id);
  where((at) => `lower(actor) = lower(${at})`, filter.actor);
  where((at) => (action?.endsWith('.') ? `starts_with(action, ${at})` : `action = ${at}`), action);
  where((at) => `object = ${at}`, filter.object);
  where((at) => `source = ${at}`, filter.source);
  where((at) => `at >= ${at}`, filter.from);
  where((at) => `at < ${at}`, filter.to);
  const { of: columns, isDescending } = readSort(ORDERS, filter.sort ?? '-at');
  const place = columns.join(', ');
  where(
    (at) =>
      `(${place}) ${isDescending ? '<' : '>'} (SELECT ${place} FROM billing.audit_log WHERE id = ${at})`,
    filter.cursor,
  );
  const rows = await readRows(
    database,
    auditRow,
    `SELECT id, at, source, actor, actor_id, role, action, object, account_id, reason, before, after, request_id, address
     FROM billing.audit_log WHERE ${joined()}
     ORDER BY ${columns.map((each) => (isDescending ? `${each} DESC` : each)).join(', ')} LIMIT $${values.push(filter.limit + 1)}`,
    values,
  );
  const items = rows.slice(0, filter.limit);
  const names = await readNames(database, items);
  return {
    items: items.map((row) => ({
      ...row,
      ...names.of(row.object),
      account_name: row.account_id === null ? null : names.of(`account ${row.account_id}`).object_name,
      at: row.at.toISOString(),
    })),
    next: rows.length > filter.limit ? (items.at(-1)?.id ?? null) : null,
  };
}

interface Named {
  readonly object_name: string | null;
  readonly object_owner: string | null;
}
const NAMELESS: Named = { object_name: null, object_owner: null };
const namedRow = z.object({ object: column.text, name: column.text, owner: column.text.nullable() });
const OBJECT = /^(?<kind>key|user|account) (?<id>[\da-f-]{36})$/;

/** What the things of some entries are called, keys that are deleted too. */
async function readNames(
  database: Pick<DataSource, 'query'>,
  entries: readonly { readonly object: string | null; readonly account_id: string | null }[],
): Promise<{ readonly of: (object: string | null) => Named }> {
  const objects = entries.flatMap(({ object, account_id: account }) => [
    object,
    account && `account ${account}`,
  ]);
  const idsOf = (wanted: string) =>
    objects.flatMap((object) => {
      const { kind, id } = OBJECT.exec(object ?? '')?.groups ?? {};
      return kind === wanted && id !== undefined ? [id] : [];
    });
  const rows = await readRows(
    database,
    namedRow,
    `SELECT 'key ' || key.id AS object, key.name, coalesce(nullif(owner.name, ''), owner.email) AS owner
     FROM billing.api_key key LEFT JOIN billing.app_user owner ON owner.id = key.owner_id WHERE key.id = ANY($1::uuid[])
     UNION ALL SELECT 'user ' || id, email, NULL FROM billing.app_user WHERE id = ANY($2::uuid[])
     UNION ALL SELECT 'account ' || id, name, NULL FROM billing.account WHERE id = ANY($3::uuid[])`,
    [idsOf('key'), idsOf('user'), idsOf('account')],
  );
  const names = new Map(
    rows.map(({ object, name, owner }) => [object, { object_name: name, object_owner: owner }]),
  );
  return { of: (object) => names.get(object ?? '') ?? NAMELESS };
}
