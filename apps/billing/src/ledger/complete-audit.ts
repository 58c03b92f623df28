import { column, readRow, readRows, requireRow } from '@tollgate/platform';
import { AUDIT_CHECKS } from '@tollgate/vocabulary';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { AUDITED_AT_ONCE, endOfSlice, SLICE_TIMEOUT_MS } from './audit.ts';
import { auditBalances, auditNewBalances } from './audit-balances.ts';
import { type AuditDifference, auditRange } from './audit-range.ts';
import { auditAccountSums, auditSums } from './audit-sums.ts';
import type { Transactions } from './journal.ts';
import type { Reader } from './transactions.ts';

/** Class of the locks of audits: each is run by one process at a time. */
const LOCK = 7_302_014;

const amount = z.string().regex(/^-?\d+$/);

/** What an audit has found so far; amounts are texts of pico-USD. */
export const auditFindingsSchema = z.object({
  after: z.int(),
  to: z.int(),
  /** The first day of the first month of which sums are compared. */
  sums_from: z.string(),
  transactions: z.int(),
  entries: z.int(),
  imbalance: amount,
  /** How many there are; the first of them stand below. */
  found: z.int(),
  differences: z.array(
    z.object({
      check: z.enum(AUDIT_CHECKS),
      number: z.int().nullable(),
      account_id: z.string().nullable(),
      expected: amount.nullable(),
      found: amount.nullable(),
    }),
  ),
});
export type AuditFindings = z.infer<typeof auditFindingsSchema>;

/** Where an audit is: it goes through the journal first, then through balances, and through sums month by month. */
export const auditPlaceSchema = z.discriminatedUnion('step', [
  z.object({ step: z.literal('journal'), number: z.int() }),
  z.object({ step: z.literal('balances'), after: z.string().nullable() }),
  z.object({
    step: z.literal('sums'),
    from: z.string(),
    after: z.uuid().nullable(),
    /** First days of the months with sums that follow; a release before this one leaves them to be looked for. */
    months: z.array(z.string()).optional(),
  }),
]);
type AuditPlace = z.infer<typeof auditPlaceSchema>;
type SumsPlace = Extract<AuditPlace, { step: 'sums' }>;

/** What a step has checked, and where the next one is. */
interface Step {
  readonly next: AuditPlace | null;
  /** Numbers of the journal, or requests that sums were worked out of. */
  readonly checked: number;
  readonly differences: readonly AuditDifference[];
  readonly sums?: Pick<AuditFindings, 'transactions' | 'entries'> & { readonly imbalance: bigint };
}

/** What audits read from: a replica, or the primary itself. */
export type OnReplica = <T>(work: (reader: Transactions) => Promise<T>) => Promise<T>;
export type AuditDatabase = Transactions & Reader;

interface RunOptions {
  readonly onReplica: OnReplica;
  readonly signal?: AbortSignal;
  readonly slice?: number;
}

const mineRow = z.object({ mine: column.boolean });
const openRow = z.object({ place: auditPlaceSchema, report: auditFindingsSchema });

/**
 * Runs a complete audit from where it is to its end. After each slice its place stands in the database beside what was found,
 * so that whoever goes on after a process was killed counts no slice twice and leaves none out.
 *
 * @returns what it found; undefined where it was told to stop, has ended before, or another process is at it.
 */
export const runCompleteAudit = (
  database: AuditDatabase,
  id: string,
  { onReplica, signal, slice = AUDITED_AT_ONCE }: RunOptions,
): Promise<AuditFindings | undefined> =>
  database.transaction(async (manager) => {
    const lock = 'SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS mine';
    const { mine } = await requireRow(manager, mineRow, lock, [LOCK, id]);
    if (!mine) return undefined;
    // Whoever waits for a lock is idle in a transaction for as long as what it guards takes.
    await manager.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    return onReplica(async (reader) => {
      // A replica that breaks off in the middle leaves the rest to the primary.
      const open = await readRow(
        database,
        openRow,
        'SELECT place, report FROM billing.verification WHERE id = $1 AND ended_at IS NULL',
        [id],
      );
      if (!open) return undefined;
      let place: AuditPlace | null = open.place;
      let findings = open.report;
      while (place !== null) {
        if (signal?.aborted) return undefined;
        const step = await takeStep(reader, place, findings, slice);
        findings = addFindings(findings, step);
        place = step.next;
        if (place === null) await end(database, id, findings);
        else await save(database, id, place, findings, step.checked);
      }
      return findings;
    });
  });

const takeStep = (
  reader: Transactions,
  place: AuditPlace,
  findings: AuditFindings,
  slice: number,
): Promise<Step> =>
  reader.transaction(async (manager) => {
    await manager.query(`SET LOCAL statement_timeout = ${SLICE_TIMEOUT_MS}`);
    if (place.step === 'journal') return checkJournal(manager, place.number, findings.to, slice);
    if (place.step === 'balances') return checkBalances(manager, place.after, findings, slice);
    return checkSums(manager, place, slice);
  });

async function checkJournal(
  manager: EntityManager,
  after: number,
  last: number,
  slice: number,
): Promise<Step> {
  const to = await endOfSlice(manager, after, after + slice, last);
  const { transactions, entries, imbalancePico, differences } = await auditRange(manager, after, to);
  return {
    next: to === last ? { step: 'balances', after: null } : { step: 'journal', number: to },
    checked: to - after,
    differences,
    sums: { transactions, entries, imbalance: imbalancePico },
  };
}

async function checkBalances(
  manager: EntityManager,
  after: string | null,
  { after: start, sums_from: from }: AuditFindings,
  slice: number,
): Promise<Step> {
  const { upTo, differences } =
    start === 0
      ? await auditBalances(manager, after, slice)
      : { upTo: null, differences: await auditNewBalances(manager) };
  return {
    next: upTo === null ? { step: 'sums', from, after: null } : { step: 'balances', after: upTo },
    checked: 0,
    differences,
  };
}

const monthRow = z.object({ month: column.text });

/** First days of all months behind one of which sums are kept. It looks at every row of these sums, so an audit asks once. */
async function findMonths(manager: EntityManager, from: string): Promise<string[]> {
  const rows = await readRows(
    manager,
    monthRow,
    `SELECT month::text AS month FROM (
       SELECT month FROM billing.usage_month UNION SELECT month FROM billing.ledger_month) AS kept
     WHERE month > $1::date ORDER BY 1`,
    [from],
  );
  return rows.map(({ month }) => month);
}

const upToRow = z.object({ account_id: column.uuid.nullable(), requests: column.bigint });

/** Of one month after the other; of a month so many accounts as have about as many requests as a slice. */
async function checkSums(manager: EntityManager, place: SumsPlace, slice: number): Promise<Step> {
  const { from, after } = place;
  const months = place.months ?? (await findMonths(manager, from));
  const [until = 'infinity'] = months;
  const { account_id: upTo, requests } = await requireRow(
    manager,
    upToRow,
    `WITH used AS (
       SELECT account_id, sum(sum(requests)) OVER (ORDER BY account_id) AS up_to FROM billing.usage_month
       WHERE month >= $1::date AND month < $2::date AND ($3::uuid IS NULL OR account_id > $3) GROUP BY account_id),
     ends AS (SELECT account_id, up_to FROM used WHERE up_to >= $4 ORDER BY account_id LIMIT 1)
     SELECT (SELECT account_id FROM ends) AS account_id,
       coalesce((SELECT up_to FROM ends), (SELECT max(up_to) FROM used), 0) AS requests`,
    [from, until, after, slice],
  );
  const differences = await auditSums(manager, { from, until, after, upTo });
  const isLast = upTo === null && until === 'infinity';
  const next =
    upTo === null ? { from: until, after: null, months: months.slice(1) } : { from, after: upTo, months };
  return {
    next: isLast ? null : { step: 'sums', ...next },
    checked: Number(requests),
    differences: isLast ? [...differences, ...(await auditAccountSums(manager, null))] : differences,
  };
}

const MAX_KEPT = 1_000;

const addFindings = (findings: AuditFindings, { differences, sums }: Step): AuditFindings => ({
  ...findings,
  transactions: findings.transactions + (sums?.transactions ?? 0),
  entries: findings.entries + (sums?.entries ?? 0),
  imbalance: String(BigInt(findings.imbalance) + (sums?.imbalance ?? 0n)),
  found: findings.found + differences.length,
  differences: [
    ...findings.differences,
    ...differences.map(({ check, number, accountId, expectedPico, foundPico }) => ({
      check,
      number: number ?? null,
      account_id: accountId ?? null,
      expected: expectedPico?.toString() ?? null,
      found: foundPico?.toString() ?? null,
    })),
  ].slice(0, MAX_KEPT),
});

/** In one statement: whoever goes on finds the slice counted and its place behind it, or neither. */
async function save(
  database: Reader,
  id: string,
  place: AuditPlace,
  findings: AuditFindings,
  checked: number,
): Promise<void> {
  await database.query(
    `UPDATE billing.verification SET place = $2, report = $3, checked = least(checked + $4, total) WHERE id = $1`,
    [id, JSON.stringify(place), JSON.stringify(findings), checked],
  );
}

/** What is right up to its last number is where the audits of every minute go on, unless they are further already. */
async function end(database: AuditDatabase, id: string, findings: AuditFindings): Promise<void> {
  await database.transaction(async (manager) => {
    await manager.query(
      `UPDATE billing.verification SET ended_at = clock_timestamp(), place = NULL, report = $2, checked = total WHERE id = $1`,
      [id, JSON.stringify(findings)],
    );
    if (findings.found > 0) return;
    await manager.query(
      `WITH proven AS (
         UPDATE billing.ledger_audit SET number = $1, audited_at = now() WHERE number < $1 RETURNING number)
       INSERT INTO billing.audited_balance AS b (account_id, balance_pico)
       SELECT a.account_id::text, a.balance_pico - coalesce((
         SELECT sum(e.amount_pico) FROM billing.ledger_entry e
         WHERE e.number > proven.number AND e.ledger_account = 'customer:' || a.account_id), 0)
       FROM billing.account_balance a, proven
       ON CONFLICT (account_id) DO UPDATE SET balance_pico = excluded.balance_pico`,
      [findings.to],
    );
  });
}
