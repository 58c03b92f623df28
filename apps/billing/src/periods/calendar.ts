import { column, readRow, readRows } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** A stretch of an account's books: what is booked from `from` (inclusive) to `to` (exclusive). */
export interface Span {
  readonly accountId: string;
  /** ISO 8601 in UTC. */
  readonly from: string;
  readonly to: string;
  /** Only transactions up to this number; without it all of them. */
  readonly asOf?: number;
}

export interface OpenPeriod extends Span {
  /** By PostgreSQL's clock: that of a billing may be of any year, and a month that is closed stays so. */
  readonly isOver: boolean;
  /** Such as `2026-11`. */
  readonly month: string;
  readonly timeZone: string;
}

const openPeriodRow = z.object({
  account_id: column.uuid,
  month: column.text,
  time_zone: column.text,
  starts_at: column.timestamp,
  ends_at: column.timestamp,
  is_over: column.boolean,
});
type Row = z.infer<typeof openPeriodRow>;

const openPeriodOf = ({ account_id, month, time_zone, starts_at, ends_at, is_over }: Row): OpenPeriod => ({
  accountId: account_id,
  month,
  timeZone: time_zone,
  from: starts_at.toISOString(),
  to: ends_at.toISOString(),
  isOver: is_over,
});

const OPEN_PERIODS = `SELECT account_id, to_char(month, 'YYYY-MM') AS month, time_zone, starts_at, ends_at,
    ends_at <= clock_timestamp() AS is_over
  FROM billing.open_period`;

/** The first month of an account that is not closed; undefined where there is no such account. */
export async function openPeriod(
  manager: Pick<EntityManager, 'query'>,
  accountId: string,
): Promise<OpenPeriod | undefined> {
  const rows = await readRows(manager, openPeriodRow, `${OPEN_PERIODS} WHERE account_id = $1`, [accountId]);
  return rows.map(openPeriodOf)[0];
}

/** The open periods, of all accounts, that had been over for so many days at a time, or now by PostgreSQL's clock. */
export async function periodsOverFor(
  manager: Pick<EntityManager, 'query'>,
  days: number,
  at?: Date,
): Promise<OpenPeriod[]> {
  const rows = await readRows(
    manager,
    openPeriodRow,
    `${OPEN_PERIODS} WHERE ends_at <= coalesce($1::timestamptz, clock_timestamp()) - make_interval(hours => 24 * $2::int)
     ORDER BY account_id`,
    [at ?? null, days],
  );
  return rows.map(openPeriodOf);
}

const monthSpanRow = z.object({ from: column.timestamp, to: column.timestamp });

/** When a month begins and ends on the clocks of a time zone. */
export async function monthIn(
  manager: Pick<EntityManager, 'query'>,
  month: string,
  timeZone: string,
): Promise<{ readonly from: string; readonly to: string }> {
  const row = await readRow(
    manager,
    monthSpanRow,
    `SELECT billing.local_month_start(first, $2) AS from,
       billing.local_month_start((first + interval '1 month')::date, $2) AS to
     FROM (SELECT ($1 || '-01')::date AS first) AS given`,
    [month, timeZone],
  );
  if (!row) throw new Error(`there is no month ${month}`);
  return { from: row.from.toISOString(), to: row.to.toISOString() };
}
