import type { AnswerOf, notices } from '@tollgate/api';
import { BUDGET_WINDOWS, type GatewayHealth } from '@tollgate/contracts';
import { formatUsd } from '@tollgate/money';
import { column, readRow, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';

type Notice = AnswerOf<typeof notices.listNotices>['items'][number];
type Runs = Pick<DataSource, 'query'>;

const MAX_OF_A_KIND = 20;
const LOW_PERCENT = 80n;
const LAST_DAYS = 7;
/** The same days by which operators are told of accounts that run dry. */
const DRY_WITHIN_DAYS = 3;

const budgetRow = z.object({
  id: column.uuid,
  name: column.text,
  time_window: z.enum(BUDGET_WINDOWS),
  starts_on: column.text,
  spent: column.bigint,
  budget: column.bigint,
});

/** Budgets of keys that are nearly used, or wholly; those that are used come first. */
export async function findBudgets(database: Runs, accountId: string): Promise<Notice[]> {
  const rows = await readRows(
    database,
    budgetRow,
    `SELECT k.id, k.name, w.time_window, w.starts_on, w.spent::text AS spent, w.budget::text AS budget
     FROM billing.api_key k JOIN billing.account a ON a.id = k.account_id
     CROSS JOIN LATERAL (SELECT now() AT TIME ZONE a.time_zone AS local) AS clock
     LEFT JOIN billing.key_spend d ON d.key_id = k.id AND d.span = 'day' AND d.starts_on = clock.local::date
     LEFT JOIN billing.key_spend m
       ON m.key_id = k.id AND m.span = 'month' AND m.starts_on = date_trunc('month', clock.local)::date
     CROSS JOIN LATERAL (VALUES
       ('total', '', k.spent_pico, k.budget_pico),
       ('monthly', to_char(clock.local, 'YYYY-MM'), coalesce(m.spent_pico, 0), k.budget_monthly_pico),
       ('daily', to_char(clock.local, 'YYYY-MM-DD'), coalesce(d.spent_pico, 0), k.budget_daily_pico)
     ) AS w (time_window, starts_on, spent, budget)
     WHERE k.account_id = $1 AND k.deleted_at IS NULL AND k.status = 'active' AND NOT k.temporary
       AND (k.expires_at IS NULL OR k.expires_at > now())
       AND w.budget IS NOT NULL AND w.spent * 100 >= w.budget * ${LOW_PERCENT}
     ORDER BY w.spent >= w.budget DESC, k.created_at, k.id LIMIT ${MAX_OF_A_KIND}`,
    [accountId],
  );
  return rows.map(({ id, name, time_window: window, starts_on, spent, budget }) => {
    const kind = BigInt(spent) >= BigInt(budget) ? 'key_budget_used' : 'key_budget_low';
    return {
      id: [kind, id, window, starts_on].join(' '),
      kind,
      key_id: id,
      key_name: name,
      window,
      spent_usd: formatUsd(BigInt(spent)),
      budget_usd: formatUsd(BigInt(budget)),
    };
  });
}

const keyRow = z.object({ id: column.uuid, name: column.text, expires_at: column.timestamp });

/** Keys that end soon. */
export async function findEndingKeys(database: Runs, accountId: string): Promise<Notice[]> {
  const rows = await readRows(
    database,
    keyRow,
    `SELECT id, name, expires_at FROM billing.api_key
     WHERE account_id = $1 AND deleted_at IS NULL AND status = 'active' AND NOT temporary
       AND expires_at > now() AND expires_at <= now() + interval '${LAST_DAYS} days'
     ORDER BY expires_at, id LIMIT ${MAX_OF_A_KIND}`,
    [accountId],
  );
  return rows.map(({ id, name, expires_at }) => ({
    id: `key_expires ${id} ${expires_at.toISOString()}`,
    kind: 'key_expires',
    key_id: id,
    key_name: name,
    expires_at: expires_at.toISOString(),
  }));
}

const leftRow = z.object({ left: column.bigint, spent: column.bigint });

/** An account with a limit that has nothing left, or less than it spent in the last days. */
export async function findShortage(database: Runs, accountId: string): Promise<Notice[]> {
  const row = await readRow(
    database,
    leftRow,
    `SELECT (coalesce(b.balance_pico, 0) + coalesce(a.credit_limit_pico, 0))::text AS left,
       (SELECT coalesce(sum(h.cost_pico), 0)::text FROM billing.account_hour h
        WHERE h.account_id = a.id AND h.hour >= now() - interval '${DRY_WITHIN_DAYS} days') AS spent
     FROM billing.account a LEFT JOIN billing.account_balance b ON b.account_id = a.id
     WHERE a.id = $1 AND (a.mode = 'prepaid' OR a.credit_limit_pico IS NOT NULL)`,
    [accountId],
  );
  if (!row) return [];
  const [left, spent] = [BigInt(row.left), BigInt(row.spent)];
  const kind = left <= 0n ? 'account_out' : 'account_low';
  if (kind === 'account_low' && left >= spent) return [];
  return [{ id: kind, kind, left_usd: formatUsd(left) }];
}

const exportRow = z.object({ id: column.uuid, finished_at: column.timestamp });

/** Exports that failed lately, of an account or of all. */
export async function findFailedExports(database: Runs, accountId: string | undefined): Promise<Notice[]> {
  const rows = await readRows(
    database,
    exportRow,
    `SELECT id, coalesce(finished_at, created_at) AS finished_at FROM billing.export_job
     WHERE status = 'failed' AND created_at > now() - interval '${LAST_DAYS} days'
       AND ($1::uuid IS NULL OR account_id = $1)
     ORDER BY created_at DESC, id DESC LIMIT ${MAX_OF_A_KIND}`,
    [accountId ?? null],
  );
  return rows.map(({ id, finished_at }) => ({
    id: `export_failed ${id}`,
    kind: 'export_failed',
    export_id: id,
    failed_at: finished_at.toISOString(),
  }));
}

const rejectedRow = z.object({ events: column.int, newest_at: column.timestamp.nullable() });

/** Usage that is not in the books and does not get there by itself. */
export async function findRejectedUsage(database: Runs): Promise<Notice[]> {
  const row = await readRow(
    database,
    rejectedRow,
    `SELECT count(*)::int AS events, max(rejected_at) AS newest_at FROM billing.usage_rejected
     WHERE state = 'rejected'`,
    [],
  );
  if (!row?.newest_at) return [];
  const newest = row.newest_at.toISOString();
  return [{ id: `usage_rejected ${newest}`, kind: 'usage_rejected', events: row.events, newest_at: newest }];
}

const toTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** Credentials that an upstream refused, and upstreams that get no requests, as any gateway knows it. */
export function findUpstreamNotices(gateways: readonly GatewayHealth[]): Notice[] {
  const found = gateways.flatMap(({ targets }) =>
    targets.flatMap(({ upstream, credential, availability, disabledSince, until }): Notice[] => {
      if (availability === 'disabled')
        return [
          {
            id: ['credential_refused', upstream, credential ?? ''].join(' '),
            kind: 'credential_refused',
            upstream,
            credential,
            since: toTime(disabledSince),
          },
        ];
      if (availability !== 'ejected') return [];
      return [
        { id: `upstream_ejected ${upstream}`, kind: 'upstream_ejected', upstream, until: toTime(until) },
      ];
    }),
  );
  return [...new Map(found.map((notice) => [notice.id, notice])).values()].sort((a, b) =>
    a.id.localeCompare(b.id),
  );
}
