import type { AnswerOf, periods } from '@tollgate/api';
import { formatUsd } from '@tollgate/money';
import { column, readRows } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { toFoundCondition } from '../accounts/found-accounts.ts';
import { freeTextCell } from '../exports/formats/csv.ts';

type AccountMonths = AnswerOf<typeof periods.listAccountMonths>;
type AccountMonth = AccountMonths['items'][number]['months'][number];

interface MonthsRequest {
  /** Such as `2026-11`; now in UTC where it is left out. */
  readonly to?: string | undefined;
  readonly months: number;
  readonly find?: string | undefined;
  /** All accounts where it is left out. */
  readonly limit?: number;
  readonly offset?: number;
}

/** What was booked by account and month, from the sums that posting keeps, in one snapshot of the database. */
export const readAccountMonths = (database: DataSource, request: MonthsRequest): Promise<AccountMonths> =>
  database.transaction('REPEATABLE READ', async (manager) => {
    const months = listMonths(request.to ?? new Date().toISOString().slice(0, 7), request.months);
    const values = [months[0], months.at(-1), request.find || null] as const;
    const found = await readFound(manager, [...values, request.limit ?? null, request.offset ?? 0]);
    const ids = found.map(({ account_id }) => account_id);
    const cells = Map.groupBy(await readCells(manager, values[0], values[1], ids), (row) => row.account_id);
    const totals = new Map((await readTotals(manager, values)).map((row) => [row.month, row]));
    const sums = months.map((month) => totals.get(month) ?? NOTHING);
    const accounts = await readRows(
      manager,
      countRow,
      `SELECT count(*) AS accounts FROM billing.account WHERE $1::text IS NULL OR ${toFoundCondition('$1')}`,
      [values[2]],
    );
    return {
      months: [...months],
      items: found.map(({ account_id, account_name, first_month, last_month }) => {
        const own = new Map((cells.get(account_id) ?? []).map((row) => [row.month, row]));
        const booked = months.map((month) => own.get(month) ?? NOTHING);
        const toStatus = (month: string, isClosed: boolean): AccountMonth['status'] =>
          isClosed ? 'closed' : month >= first_month && month <= last_month ? 'open' : null;
        return {
          account_id,
          account_name,
          months: booked.map((sum, index) => ({
            status: toStatus(months[index] ?? '', sum.closed > 0n),
            ...toFigures([sum]),
          })),
          total: toFigures(booked),
        };
      }),
      totals: sums.map((sum) => ({ closed: Number(sum.closed), ...toFigures([sum]) })),
      total: toFigures(sums),
      accounts: Number(accounts[0]?.accounts ?? 0),
    };
  });

/** So many months that end with one, the oldest first. */
function listMonths(last: string, count: number): readonly string[] {
  const [year = 0, month = 0] = last.split('-').map(Number);
  return Array.from({ length: count }, (_none, index) =>
    new Date(Date.UTC(year, month - count + index)).toISOString().slice(0, 7),
  );
}

interface Booked {
  readonly usage: bigint;
  readonly credit: bigint;
  readonly requests: bigint;
  /** How many accounts closed it. */
  readonly closed: bigint;
}

const NOTHING: Booked = { usage: 0n, credit: 0n, requests: 0n, closed: 0n };

function toFigures(sums: readonly Booked[]) {
  const sum = (name: keyof Booked) => sums.reduce((total, each) => total + each[name], 0n);
  return {
    usage_usd: formatUsd(sum('usage')),
    credit_usd: formatUsd(sum('credit')),
    requests: Number(sum('requests')),
  };
}

const amount = column.bigint.transform(BigInt);
const totalRow = z.object({
  month: column.text,
  usage: amount,
  credit: amount,
  requests: amount,
  closed: amount,
});
const cellRow = totalRow.extend({ account_id: column.uuid });
const countRow = z.object({ accounts: column.bigint });

const SUMS = `coalesce(sum(b.usage), 0)::text AS usage, coalesce(sum(b.credit), 0)::text AS credit,
  coalesce(sum(b.requests), 0)::text AS requests, coalesce(sum(b.closed), 0)::text AS closed`;

/** The sums that posting keeps, and which months are closed, as rows that add up. */
const BOOKED = `
  SELECT account_id, month, CASE kind WHEN 'usage' THEN -amount_pico ELSE 0 END AS usage,
    CASE kind WHEN 'usage' THEN 0 ELSE amount_pico END AS credit,
    CASE kind WHEN 'usage' THEN transactions ELSE 0 END AS requests, 0 AS closed
  FROM billing.ledger_month WHERE month BETWEEN ($1 || '-01')::date AND ($2 || '-01')::date
  UNION ALL
  SELECT account_id, month, 0, 0, 0, 1
  FROM billing.period WHERE month BETWEEN ($1 || '-01')::date AND ($2 || '-01')::date`;

const foundRow = z.object({
  account_id: column.uuid,
  account_name: column.text,
  first_month: column.text,
  last_month: column.text,
});

/** A page of the accounts that are found, with the first month that is open and the one it is now. */
const readFound = (manager: EntityManager, values: readonly unknown[]) =>
  readRows(
    manager,
    foundRow,
    `WITH page AS (
       SELECT account.id, account.name, account.time_zone, coalesce(b.usage, 0) AS usage
       FROM billing.account LEFT JOIN (
         SELECT account_id, -sum(amount_pico) AS usage FROM billing.ledger_month
         WHERE kind = 'usage' AND month BETWEEN ($1 || '-01')::date AND ($2 || '-01')::date GROUP BY 1
       ) b ON b.account_id = account.id
       WHERE $3::text IS NULL OR ${toFoundCondition('$3')}
       ORDER BY usage DESC, account.id DESC LIMIT $4 OFFSET $5)
     SELECT page.id AS account_id, page.name AS account_name, to_char(open.month, 'YYYY-MM') AS first_month,
       to_char(now() AT TIME ZONE page.time_zone, 'YYYY-MM') AS last_month
     FROM page JOIN billing.open_period open ON open.account_id = page.id
     ORDER BY page.usage DESC, page.id DESC`,
    [...values],
  );

const readCells = (manager: EntityManager, from: unknown, to: unknown, ids: readonly string[]) =>
  readRows(
    manager,
    cellRow,
    `SELECT b.account_id, to_char(b.month, 'YYYY-MM') AS month, ${SUMS}
     FROM (${BOOKED}) b WHERE b.account_id = ANY($3::uuid[]) GROUP BY b.account_id, b.month`,
    [from, to, ids],
  );

const readTotals = (manager: EntityManager, values: readonly unknown[]) =>
  readRows(
    manager,
    totalRow,
    `SELECT to_char(b.month, 'YYYY-MM') AS month, ${SUMS}
     FROM (${BOOKED}) b JOIN billing.account ON account.id = b.account_id
     WHERE $3::text IS NULL OR ${toFoundCondition('$3')} GROUP BY b.month`,
    [...values],
  );

/** A line for each account: what it used each month and in sum, then what it was credited likewise. */
export function toMonthsCsv({ months, items }: AccountMonths): string {
  const columns = (what: string) => [...months, 'total'].map((name) => `${what}_usd ${name}`);
  const header = ['account_id', 'account', ...columns('usage'), ...columns('credit')];
  const rows = items.map(({ account_id, account_name, months: own, total }) => {
    const each = [...own, total];
    const amounts = [...each.map(({ usage_usd }) => usage_usd), ...each.map(({ credit_usd }) => credit_usd)];
    return [account_id, freeTextCell(account_name), ...amounts];
  });
  return [header, ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}
