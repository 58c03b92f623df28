import { column, httpError, readRow, readRows } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { audit } from '../audit-log/audit.ts';
import { findAuditedTo, findDoubts } from '../ledger/audit-runs.ts';
import { beginQuarter } from '../periods/month-sums.ts';
import { dropAttempts, HAS_ATTEMPTS } from './drop-attempts.ts';
import { METER_COLUMNS } from './meter-columns.ts';
import { type Month, partitionName, toStart } from './partitions.ts';

interface Drop {
  readonly month: Month;
  readonly state: 'dropping' | 'dropped';
  /** That are still there. */
  readonly rows: number;
  readonly dropped_rows: number;
  /** Lost attempts of the month. */
  readonly dropped_attempts: number;
  readonly actor: string;
  readonly reason: string;
  readonly begun_at: string;
  readonly ended_at: string | null;
}

const detachedRow = z.object({ detached_at: column.timestamp, is_there: column.boolean });

/**
 * Begins to drop the rows of a month that was taken out of the usage log; {@link runDrop} does it. A month is dropped once:
 * asked again, the answer is how far that is.
 *
 * A complete audit must have read the rows where they are and found everything right: afterwards nobody can compare them
 * with the entries that were made of them.
 *
 * @throws HttpException 404 for a month that was not taken out or whose table is gone, 409 where no audit vouches for it.
 */
export const beginDrop = (
  database: DataSource,
  month: Month,
  by: { readonly actor: string; readonly reason: string },
): Promise<Drop> =>
  database.transaction(async (manager) => {
    const detached = await readRow(
      manager,
      detachedRow,
      `SELECT detached_at, to_regclass($2) IS NOT NULL AS is_there FROM billing.usage_detached WHERE month = $1 FOR UPDATE`,
      [`${month}-01`, `billing_archive.${partitionName(month)}`],
    );
    const before = await findDrop(manager, month);
    if (before) return before;
    if (!detached?.is_there) {
      const message = `There are no rows of ${month} in the archive. Take the month out of the usage log first.`;
      throw httpError(404, message, 'month', 'month_not_detached', { month });
    }
    const audited = await findAuditedTo(manager, detached.detached_at);
    if ((await findDoubts(manager)) > 0 || audited === null) {
      const message = `No complete audit has found the books right since ${month} was taken out. Run one from the start: POST /api/ledger/audits.`;
      throw httpError(409, message, 'month', 'month_not_audited', { month });
    }
    await manager.query(
      'INSERT INTO billing.usage_drop (month, actor, reason, attempts_to) VALUES ($1, $2, $3, $4)',
      [toStart(month), by.actor, by.reason, audited],
    );
    await audit(manager, {
      action: 'partition.drop',
      object: `partition ${month}`,
      reason: by.reason,
      actor: { email: by.actor },
    });
    return requireDrop(manager, month);
  });

const dropRow = z.object({
  rows: column.bigint,
  dropped_rows: column.bigint,
  dropped_attempts: column.bigint,
  actor: column.text,
  reason: column.text,
  begun_at: column.timestamp,
  ended_at: column.timestamp.nullable(),
});

type Reader = Pick<EntityManager, 'query'>;

async function findDrop(reader: Reader, month: Month): Promise<Drop | undefined> {
  const row = await readRow(
    reader,
    dropRow,
    `SELECT d.rows - x.rows AS rows, x.rows AS dropped_rows, x.attempts AS dropped_attempts, x.actor, x.reason, x.begun_at, x.ended_at
     FROM billing.usage_drop x JOIN billing.usage_detached d USING (month) WHERE month = $1`,
    [`${month}-01`],
  );
  return (
    row && {
      month,
      state: row.ended_at === null ? 'dropping' : 'dropped',
      rows: Number(row.rows),
      dropped_rows: Number(row.dropped_rows),
      dropped_attempts: Number(row.dropped_attempts),
      actor: row.actor,
      reason: row.reason,
      begun_at: row.begun_at.toISOString(),
      ended_at: row.ended_at?.toISOString() ?? null,
    }
  );
}

/** How far a drop is that has begun. */
export async function requireDrop(reader: Reader, month: Month): Promise<Drop> {
  const drop = await findDrop(reader, month);
  if (!drop) throw new Error(`nobody began to drop ${month}`);
  return drop;
}

const monthRow = z.object({ month: column.text });

/**
 * Months whose rows are being dropped, and those whose lost attempts are not gone with the rows: a billing from before these left may have
 * ended the drop.
 */
export async function listOpenDrops(reader: Reader): Promise<Month[]> {
  const rows = await readRows(
    reader,
    monthRow,
    `SELECT to_char(month, 'YYYY-MM') AS month FROM billing.usage_drop WHERE ended_at IS NULL OR ${HAS_ATTEMPTS} ORDER BY month`,
  );
  return rows.map(({ month }) => month);
}

/** A second or so of work; whoever reads meanwhile sees each row, or what it was added up to. */
const DROPPED_AT_ONCE = 100_000;

/**
 * Drops the rows of a month to their end, and then its lost attempts, a slice in each transaction: its rows go, and what they come to by quarters of an
 * hour and the numbers that they had take their place. Whoever goes on after a process was killed finds a slice done or not begun.
 */
export async function runDrop(
  database: DataSource,
  month: Month,
  { signal, slice = DROPPED_AT_ONCE }: { readonly signal?: AbortSignal; readonly slice?: number } = {},
): Promise<void> {
  while (!signal?.aborted && (await database.transaction((manager) => dropSlice(manager, month, slice))));
}

const placeRow = z.object({ number: column.bigint, is_ended: column.boolean });
const lastRow = z.object({ last: column.bigint.nullable() });

/** A part of {@link runDrop}. @returns false where there is nothing left to do, or another process is at it. */
export async function dropSlice(manager: EntityManager, month: Month, slice: number): Promise<boolean> {
  await manager.query(`SET LOCAL lock_timeout = '2s'`);
  const first = `${month}-01`;
  const place = await readRow(
    manager,
    placeRow,
    'SELECT number, ended_at IS NOT NULL AS is_ended FROM billing.usage_drop WHERE month = $1 FOR UPDATE SKIP LOCKED',
    [first],
  );
  if (!place) return false;
  if (place.is_ended) return dropAttempts(manager, month, slice);
  const table = `billing_archive.${partitionName(month)}`;
  const end = await readRow(
    manager,
    lastRow,
    `SELECT max(number) AS last FROM (SELECT number FROM ${table} WHERE number > $1 ORDER BY number LIMIT $2) AS next`,
    [place.number, slice],
  );
  const last = end?.last ?? null;
  if (last === null) {
    if (await dropAttempts(manager, month, slice)) return true;
    // Whoever has listed the months of the archive reads them before its table goes.
    await manager.query('LOCK TABLE billing.usage_detached IN EXCLUSIVE MODE');
    await manager.query('SELECT billing.drop_usage_partition($1)', [first]);
    await manager.query('UPDATE billing.usage_drop SET ended_at = now() WHERE month = $1', [first]);
    return false;
  }
  await manager.query(ROLL_UP.replace('TABLE', table), [first, place.number, last]);
  return true;
}

const ALIKE = ['account_id', 'key_id', 'model', 'vendor', 'upstream', 'outcome'];
const SUMS = [...METER_COLUMNS, 'cost_pico', 'upstream_cost_pico', 'latency_ms', 'first_byte_ms'];

/** In one statement: its values are the month, the number behind which the slice begins, and its last. */
const ROLL_UP = `
  WITH dropped AS (
    DELETE FROM TABLE WHERE number > $2 AND number <= $3
    RETURNING number, occurred_at, booked_at, ${[...ALIKE, ...SUMS].join(', ')}
  ), rolled_up AS (
    INSERT INTO billing.usage_rollup (month, number, occurred_at, booked_at, ${ALIKE.join(', ')}, requests, ${SUMS.join(', ')})
    SELECT $1::date, max(number), ${beginQuarter('occurred_at')}, ${beginQuarter('booked_at')}, ${ALIKE.join(', ')},
      count(*), ${SUMS.map((sum) => `sum(${sum})`).join(', ')}
    FROM dropped GROUP BY 3, 4, ${ALIKE.join(', ')}, upstream_cost_pico IS NULL
  ), numbers AS (
    INSERT INTO billing.usage_rollup_numbers (first, last)
    SELECT min(number), max(number) FROM (
      SELECT number, number - row_number() OVER (ORDER BY number) AS span
      FROM (SELECT DISTINCT number FROM dropped) AS each) AS spans
    GROUP BY span
  )
  UPDATE billing.usage_drop SET number = $3, rows = rows + (SELECT count(*) FROM dropped) WHERE month = $1::date`;
