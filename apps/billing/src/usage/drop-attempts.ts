import { column, requireRow } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { beginQuarter } from '../periods/month-sums.ts';
import { addMonths, type Month, toStart } from './partitions.ts';

const partRow = z.object({ after: column.text, until: column.text.nullable() });

/**
 * Of lost attempts of a month that is dropped, the next so many. Only those leave that both the time and the id place in the month: by its id
 * an attempt that comes again is known to be of a dropped month (`posted-requests.ts`). The few that began in one month and ended in
 * the next stay, as do those that came after the audit.
 *
 * @returns false where all of them were looked at before.
 */
export async function dropAttempts(manager: EntityManager, month: Month, slice: number): Promise<boolean> {
  const [from, to] = [toStart(month), toStart(addMonths(month, 1))];
  const { after, until } = await requireRow(manager, partRow, NEXT, [`${month}-01`, from, to, slice]);
  if (until === null) return false;
  await manager.query(ROLL_UP, [`${month}-01`, from, to, after, until, Date.parse(from), Date.parse(to)]);
  return true;
}

/** From behind the last slice to about so many behind it: what was booked at one moment is in one slice. */
const NEXT = `
  WITH place AS (
    SELECT attempts_to, coalesce(attempts_at, $2::timestamptz - interval '1 microsecond') AS after
    FROM billing.usage_drop WHERE month = $1::date)
  SELECT after::text, (
    SELECT max(booked_at)::text FROM (
      SELECT booked_at FROM billing.lost_attempt
      WHERE booked_at > (SELECT after FROM place WHERE attempts_to IS NOT NULL) AND booked_at < $3::timestamptz
      ORDER BY booked_at LIMIT $4) AS next) AS until
  FROM place`;

/** Whether a row of `billing.usage_drop` is of a month with attempts that nobody has looked at. */
export const HAS_ATTEMPTS = `(attempts_to IS NOT NULL AND EXISTS (
  SELECT FROM billing.lost_attempt
  WHERE booked_at > coalesce(attempts_at, month::timestamp AT TIME ZONE 'UTC' - interval '1 microsecond')
    AND booked_at < (month + interval '1 month') AT TIME ZONE 'UTC'))`;

const QUARTERS = [beginQuarter('occurred_at'), beginQuarter('booked_at')];

/** The time in milliseconds that the id of an attempt carries; null where it carries none. */
const ID_MS = `CASE WHEN request_id ~ '^req_[0-9a-f]{32}[.][0-9]+$'
  THEN ('x' || lpad(substr(request_id, 5, 12), 16, '0'))::bit(64)::bigint END`;

/** In one statement: its values are the month, when it begins and ends, the slice, and the month's bounds in milliseconds. */
const ROLL_UP = `
  WITH dropped AS (
    DELETE FROM billing.lost_attempt
    WHERE booked_at > $4::timestamptz AND booked_at <= $5::timestamptz
      AND occurred_at >= $2::timestamptz AND occurred_at < $3::timestamptz
      AND ${ID_MS} >= $6::bigint AND ${ID_MS} < $7::bigint
      AND number <= (SELECT attempts_to FROM billing.usage_drop WHERE month = $1::date)
    RETURNING number, occurred_at, booked_at, upstream, model, latency_ms, upstream_cost_pico
  ), rolled_up AS (
    INSERT INTO billing.lost_rollup
      (month, number, occurred_at, booked_at, upstream, model, attempts, latency_ms, upstream_cost_pico)
    SELECT $1::date, max(number), ${QUARTERS.join(', ')}, upstream, model, count(*), sum(latency_ms), sum(upstream_cost_pico)
    FROM dropped GROUP BY 3, 4, upstream, model, upstream_cost_pico IS NULL
  ), numbers AS (
    INSERT INTO billing.usage_rollup_numbers (first, last)
    SELECT min(number), max(number) FROM (
      SELECT number, number - row_number() OVER (ORDER BY number) AS span FROM dropped) AS spans
    GROUP BY span
  )
  UPDATE billing.usage_drop SET attempts = attempts + (SELECT count(*) FROM dropped), attempts_at = $5::timestamptz
  WHERE month = $1::date`;
