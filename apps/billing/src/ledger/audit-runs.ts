import type { AnswerOf, ledger } from '@tollgate/api';
import { formatUsd } from '@tollgate/money';
import { column, readRow, readRows, requireRow } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import {
  type AuditDatabase,
  type AuditFindings,
  auditFindingsSchema,
  auditPlaceSchema,
} from './complete-audit.ts';
import type { Reader } from './transactions.ts';

interface AuditRequest {
  /** Whether what was found right before is read again. */
  readonly isFromStart: boolean;
  readonly startedBy: string;
}

/** Older ones are forgotten when another one begins. */
const KEPT = 20;
const idRow = z.object({ id: column.uuid });
const newestRow = z.object({ to: column.bigint.nullable() });
const placesRow = z.object({ proven: column.bigint, last: column.bigint });

/**
 * Asks for a complete audit. One that runs and reads as much is that one. Where none was right yet, or what one found was not
 * found right by another one since, it begins at the start whatever is asked: nothing wrong is left out because it is old.
 */
export const beginAudit = (
  database: AuditDatabase,
  { isFromStart: isAsked, startedBy }: AuditRequest,
): Promise<string> =>
  database.transaction(async (manager) => {
    // Two that ask at once are one.
    await manager.query(`SELECT pg_advisory_xact_lock(hashtext('billing ledger audit'))`);
    const right = await newestRight(manager);
    const isFromStart = isAsked || right === null || (await findDoubts(manager)) > 0;
    const running = await readRow(
      manager,
      idRow,
      `SELECT id FROM billing.verification WHERE kind = 'ledger' AND ended_at IS NULL AND from_start >= $1
       ORDER BY started_at LIMIT 1`,
      [isFromStart],
    );
    if (running) return running.id;
    await manager.query(
      `DELETE FROM billing.verification WHERE kind = 'ledger' AND ended_at IS NOT NULL AND started_at < (
         SELECT started_at FROM billing.verification WHERE kind = 'ledger' ORDER BY started_at DESC OFFSET $1 LIMIT 1)`,
      [KEPT],
    );
    const { proven, last } = await requireRow(
      manager,
      placesRow,
      `SELECT (SELECT number FROM billing.ledger_audit) AS proven, (SELECT last_number FROM billing.journal) AS last`,
    );
    const after = isFromStart ? 0 : Number(proven);
    const sumsFrom = isFromStart ? '-infinity' : await firstAddedTo(manager, right ?? 0);
    const findings: AuditFindings = {
      after,
      to: Number(last),
      sums_from: sumsFrom,
      transactions: 0,
      entries: 0,
      imbalance: '0',
      found: 0,
      differences: [],
    };
    const { id } = await requireRow(
      manager,
      idRow,
      `INSERT INTO billing.verification (kind, from_start, started_by, started_at, total, place, report)
       SELECT 'ledger', $1, $2, clock_timestamp(), $3::bigint - $4::bigint + coalesce(sum(requests), 0), $5, $6
       FROM billing.usage_month WHERE month >= $7::date RETURNING id`,
      [
        isFromStart,
        startedBy,
        last,
        after,
        JSON.stringify({ step: 'journal', number: after }),
        JSON.stringify(findings),
        sumsFrom,
      ],
    );
    return id;
  });

const IS_RIGHT = `kind = 'ledger' AND ended_at IS NOT NULL AND (report ->> 'found')::int = 0`;

/** The last number of the audits that found nothing, or of some of them. */
async function newestRight(
  reader: Reader,
  condition = '',
  values: readonly string[] = [],
): Promise<number | null> {
  const { to } = await requireRow(
    reader,
    newestRow,
    `SELECT max((report ->> 'to')::bigint) AS to FROM billing.verification WHERE ${IS_RIGHT} ${condition}`,
    [...values],
  );
  return to === null ? null : Number(to);
}

const foundRow = z.object({ found: column.int });

/** How many differences complete audits found that none has found put right since. */
export async function findDoubts(reader: Reader): Promise<number> {
  const row = await readRow(
    reader,
    foundRow,
    `SELECT (wrong.report ->> 'found')::int AS found FROM billing.verification wrong
     WHERE kind = 'ledger' AND ended_at IS NOT NULL AND (report ->> 'found')::int > 0 AND NOT EXISTS (
       SELECT FROM billing.verification WHERE ${IS_RIGHT} AND started_at >= wrong.ended_at)
     ORDER BY ended_at DESC LIMIT 1`,
  );
  return row?.found ?? 0;
}

/** Up to which number a complete audit that began at this moment or later has read everything, and found it right; null where none has. */
export const findAuditedTo = (reader: Reader, at: Date): Promise<number | null> =>
  newestRight(reader, 'AND from_start AND started_at >= $1', [at.toISOString()]);

const monthRow = z.object({ month: column.text });

/** The first month whose sums anything above a number was added to, or one or two before it; `infinity` where there is nothing. */
async function firstAddedTo(manager: EntityManager, number: number): Promise<string> {
  const { month } = await requireRow(
    manager,
    monthRow,
    `WITH months AS (
       SELECT to_date(substr(c.relname, 7), 'YYYY_MM')::timestamp AT TIME ZONE 'UTC' AS starts
       FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'billing.usage'::regclass AND c.relname ~ '^usage_[0-9]{4}_[0-9]{2}$'),
     added AS (
       SELECT min(starts) AS at FROM months WHERE EXISTS (
         SELECT FROM billing.usage WHERE number > $1 AND occurred_at >= starts AND occurred_at < starts + interval '1 month')
       UNION ALL SELECT min(least(occurred_at, booked_at)) FROM billing.usage_default WHERE number > $1
       UNION ALL SELECT min(occurred_at) FROM billing.lost_attempt WHERE number > $1
       UNION ALL SELECT min(booked_at) FROM billing.ledger_transaction WHERE number > $1)
     SELECT coalesce(date_trunc('month', (min(at) - interval '2 days') AT TIME ZONE 'UTC')::date, 'infinity')::text AS month
     FROM added`,
    [number],
  );
  return month;
}

const auditRow = z.object({
  id: column.uuid,
  from_start: column.boolean,
  started_by: column.text,
  started_at: column.timestamp,
  ended_at: column.timestamp.nullable(),
  checked: column.bigint,
  total: column.bigint,
  place: auditPlaceSchema.nullable(),
  report: auditFindingsSchema,
  accounts: column.int,
});

const AUDIT = `SELECT id, from_start, started_by, started_at, ended_at, checked, total, place, report,
  (SELECT count(*)::int FROM billing.account_balance) AS accounts FROM billing.verification WHERE kind = 'ledger'`;

/** How far an audit is and what it found; undefined where there is none. */
export async function findAudit(reader: Reader, id: string): Promise<z.infer<typeof auditRow> | undefined> {
  return readRow(reader, auditRow, `${AUDIT} AND id = $1`, [id]);
}

/** The newest first. */
export const listAudits = (reader: Reader): Promise<z.infer<typeof auditRow>[]> =>
  readRows(reader, auditRow, `${AUDIT} ORDER BY started_at DESC LIMIT 5`);

const openRow = z.object({ id: column.uuid });

/** Those that have not ended, in the order in which they were asked for. */
export async function listOpenAudits(reader: Reader): Promise<string[]> {
  const rows = await readRows(
    reader,
    openRow,
    `SELECT id FROM billing.verification WHERE kind = 'ledger' AND ended_at IS NULL ORDER BY started_at`,
  );
  return rows.map(({ id }) => id);
}

const SHOWN = 100;
const toUsd = (pico: string | null): string | null => (pico === null ? null : formatUsd(BigInt(pico)));

/** An audit as the API answers it; of many differences the first hundred. */
export function showAudit(row: z.infer<typeof auditRow>): AnswerOf<typeof ledger.auditLedger> {
  const { id, from_start, started_by, started_at, ended_at, place, report, accounts } = row;
  const { after, to, transactions, entries, imbalance, found, differences } = report;
  return {
    id,
    from_start,
    started_by,
    started_at: started_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
    step: place?.step ?? null,
    checked: Number(row.checked),
    total: Number(row.total),
    verified: ended_at && found === 0,
    after,
    to,
    transactions,
    entries,
    accounts,
    imbalance_usd: formatUsd(BigInt(imbalance)),
    difference_count: found,
    differences: differences.slice(0, SHOWN).map((difference) => ({
      check: difference.check,
      number: difference.number,
      account_id: difference.account_id,
      expected_usd: toUsd(difference.expected),
      found_usd: toUsd(difference.found),
    })),
  };
}
