import { column, readRows } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { addMonths, type Month, partitionName, toMonth, toStart } from './partitions.ts';

type Reader = Pick<EntityManager, 'query'>;

/** As gateways make them: twelve hexadecimal digits are milliseconds. */
const REQUEST_ID = /^req_([0-9a-f]{12})[0-9a-f]{20}$/;
/** Of an attempt that brought nothing: its number stands behind. */
const ATTEMPT_ID = /^(req_[0-9a-f]{32})\.\d+$/;
/** No clock is so wrong, but an id may be. */
const LAST_MONTH_MS = Date.UTC(9998, 11);

/** Months counted from the year 0: every event is asked for two, and text would be a third of what posting takes of this process. */
type MonthIndex = number;

/** The month that was asked about last: it is nearly always the same. */
let lastMonth = { from: 0, to: 0, index: 0 };

function indexMonth(ms: number): MonthIndex {
  if (ms >= lastMonth.from && ms < lastMonth.to) return lastMonth.index;
  const at = new Date(ms);
  const index = at.getUTCFullYear() * 12 + at.getUTCMonth();
  at.setUTCDate(1);
  const from = at.setUTCHours(0, 0, 0, 0);
  lastMonth = { from, to: at.setUTCMonth(at.getUTCMonth() + 1), index };
  return index;
}

const nameMonth = (index: MonthIndex): Month =>
  toMonth(new Date(Date.UTC(Math.floor(index / 12), index % 12)));

/** The month whose usage has a request, by the time that its id carries; undefined where it carries none. */
function indexOfRequest(requestId: string): MonthIndex | undefined {
  const [, digits] = REQUEST_ID.exec(requestId) ?? [];
  const ms = digits === undefined ? NaN : parseInt(digits, 16);
  return ms < LAST_MONTH_MS ? indexMonth(ms) : undefined;
}

/** The month by the id of a request, or of an attempt at one. */
export function monthOfRequest(requestId: string): Month | undefined {
  const index = indexOfRequest(ATTEMPT_ID.exec(requestId)?.[1] ?? requestId);
  return index === undefined ? undefined : nameMonth(index);
}

/**
 * Usage that stands in another month than its request's id says: it ended in the next month, or a clock was wrong. A month
 * of the log has each request once, but such a request might be in two of them: it is written down in
 * `billing.usage_elsewhere`, and posted while nobody else posts.
 */
export const isElsewhere = (requestId: string, occurredAt: string): boolean =>
  indexOfRequest(requestId) !== indexMonth(Date.parse(occurredAt));

const detachedRow = z.object({ month: column.text, is_there: column.boolean });

/** Months that were taken out of the log, and whether all their rows are still in the archive. */
async function detachedMonths(
  reader: Reader,
  months: readonly Month[],
): Promise<ReadonlyMap<Month, boolean>> {
  const rows = await readRows(
    reader,
    detachedRow,
    `SELECT to_char(month, 'YYYY-MM') AS month,
       to_regclass('billing_archive.usage_' || to_char(month, 'YYYY_MM')) IS NOT NULL
         AND NOT EXISTS (SELECT FROM billing.usage_drop x WHERE x.month = d.month) AS is_there
     FROM billing.usage_detached d WHERE to_char(month, 'YYYY-MM') = ANY($1)`,
    [months],
  );
  return new Map(rows.map(({ month, is_there: isThere }) => [month, isThere]));
}

const requestRow = z.object({ request_id: column.text });

interface Looked {
  /** Those of the requests that are in the books. */
  readonly posted: ReadonlySet<string>;
  /** Those of a month whose rows are gone from the archive too: nobody knows whether they were posted, but for those that are. */
  readonly unknown: ReadonlySet<string>;
}

/**
 * Looks each request up in the one month that may have it, and where the few are that stand elsewhere.
 *
 * @param inLog whether months of the log are asked. They refuse a request that they have: whoever writes to them need not ask.
 */
export async function lookUpPosted(
  reader: Reader,
  requestIds: readonly string[],
  { inLog = true } = {},
): Promise<Looked> {
  if (requestIds.length === 0) return { posted: new Set(), unknown: new Set() };
  const byMonth = [...Map.groupBy(requestIds, indexOfRequest)].flatMap(([index, ids]) =>
    index === undefined ? [] : [{ month: nameMonth(index), ids }],
  );
  const detached = await detachedMonths(
    reader,
    byMonth.map(({ month }) => month),
  );
  const values: unknown[] = [requestIds];
  const place = (value: unknown) => `$${values.push(value)}`;
  const asked = inLog ? byMonth : byMonth.filter(({ month }) => detached.has(month));
  const ofMonths = asked.flatMap(({ month, ids }) => {
    const isOne = `request_id = ANY(${ids.length === requestIds.length ? '$1' : place(ids)}::text[])`;
    // What came after its month was taken out is in the default partition.
    const [from, to] = [place(toStart(month)), place(toStart(addMonths(month, 1)))];
    const kept = `SELECT request_id FROM billing.usage
      WHERE ${isOne} AND occurred_at >= ${from}::timestamptz AND occurred_at < ${to}::timestamptz`;
    const archived = `SELECT request_id FROM billing_archive.${partitionName(month)} WHERE ${isOne}`;
    return detached.get(month) === true ? [kept, archived] : [kept];
  });
  // Until there was one transaction for many, each request had its own.
  const everywhere = ['ledger_transaction', 'lost_attempt', 'usage_elsewhere'].map(
    (table) => `SELECT request_id FROM billing.${table} WHERE request_id = ANY($1::text[])`,
  );
  const rows = await readRows(reader, requestRow, [...everywhere, ...ofMonths].join(' UNION ALL '), values);
  // Of a month that somebody has begun to drop meanwhile, rows may have been gone when they were looked for.
  const stillDetached = [...detached.values()].includes(true)
    ? await detachedMonths(reader, [...detached.keys()])
    : detached;
  const gone = byMonth.filter(({ month }) => stillDetached.get(month) === false);
  return {
    posted: new Set(rows.map(({ request_id }) => request_id)),
    unknown: new Set([...gone.flatMap(({ ids }) => ids), ...(await findUnknownAttempts(reader, requestIds))]),
  };
}

const droppedRow = z.object({ month: column.text });

/**
 * Attempts of months whose attempts somebody has begun to drop. Asked behind where they are looked for: one that is not found there and
 * is of no such month yet has not been dropped.
 */
async function findUnknownAttempts(reader: Reader, requestIds: readonly string[]): Promise<string[]> {
  const attempts = requestIds.filter((id) => ATTEMPT_ID.test(id));
  if (attempts.length === 0) return [];
  const rows = await readRows(
    reader,
    droppedRow,
    `SELECT to_char(month, 'YYYY-MM') AS month FROM billing.usage_drop WHERE attempts_to IS NOT NULL`,
  );
  const dropped = new Set(rows.map(({ month }) => month));
  return dropped.size === 0 ? [] : attempts.filter((id) => dropped.has(monthOfRequest(id) ?? ''));
}
