import { column, readRow, readRows } from '@tollgate/platform';
import { AUDIT_CHECKS, type AuditCheck } from '@tollgate/vocabulary';
import { z } from 'zod';
import type { Reader } from './transactions.ts';

export interface AuditDifference {
  readonly check: AuditCheck;
  /** The transaction it is about, or the account. */
  readonly number?: number;
  readonly accountId?: string;
  /** Pico-USD, where an amount differs. */
  readonly expectedPico?: bigint;
  readonly foundPico?: bigint;
}

interface AuditedRange {
  readonly transactions: number;
  readonly entries: number;
  /** The sum of all entries. */
  readonly imbalancePico: bigint;
  /** Per customer the sum of their entries. */
  readonly customers: ReadonlyMap<string, bigint>;
  readonly differences: readonly AuditDifference[];
}

/** Books that are wrong from end to end are not listed in full. */
const MAX_LISTED = 1_000;

const customerSumRow = z.object({ account_id: column.text, sum: column.bigint });

const rangeSumsRow = z.object({
  transactions: column.bigint,
  entries: column.bigint,
  imbalance: column.bigint,
});

/** Checks the transactions numbered above `after` up to `to`. All of them must be committed. */
export async function auditRange(reader: Reader, after: number, to: number): Promise<AuditedRange> {
  const range = [after, to];
  const sums = await readRow(
    reader,
    rangeSumsRow,
    `SELECT (SELECT count(*) FROM billing.ledger_transaction WHERE number > $1 AND number <= $2) AS transactions,
       count(*) AS entries, coalesce(sum(amount_pico), 0) AS imbalance
     FROM billing.ledger_entry WHERE number > $1 AND number <= $2`,
    range,
  );
  const customers = await readRows(
    reader,
    customerSumRow,
    `SELECT substr(ledger_account, 10) AS account_id, sum(amount_pico) AS sum
     FROM billing.ledger_entry WHERE number > $1 AND number <= $2 AND ledger_account LIKE 'customer:%' GROUP BY 1`,
    range,
  );
  const transactions = Number(sums?.transactions);
  return {
    transactions,
    entries: Number(sums?.entries),
    imbalancePico: BigInt(sums?.imbalance ?? 0),
    customers: new Map(customers.map(({ account_id, sum }) => [account_id, BigInt(sum)])),
    differences: [
      ...(transactions === to - after ? [] : await missingNumbers(reader, after, to)),
      ...(await differencesIn(reader, after, to)),
    ],
  };
}

const missingNumberRow = z.object({ number: column.bigint });

async function missingNumbers(reader: Reader, after: number, to: number): Promise<AuditDifference[]> {
  const rows = await readRows(
    reader,
    missingNumberRow,
    `SELECT number FROM generate_series($1::bigint + 1, $2::bigint) AS number
     WHERE NOT EXISTS (SELECT FROM billing.ledger_transaction t WHERE t.number = number.number) LIMIT $3`,
    [after, to, MAX_LISTED],
  );
  return rows.map(({ number }) => ({ check: 'number_missing', number: Number(number) }));
}

const CHECKS: readonly (readonly [AuditCheck, string])[] = [
  ['entries_without_transaction', 't.number IS NULL AND e.number IS NOT NULL'],
  ['entries_not_balanced', 'e.total <> 0'],
  ['transaction_without_entries', `e.number IS NULL AND t.kind NOT IN ('usage', 'lost_attempt')`],
  ['transaction_without_usage', `t.kind = 'usage' AND u.number IS NULL`],
  [
    'usage_without_transaction',
    `u.number IS NOT NULL AND (t.kind = 'usage' AND t.request_id = u.request_id AND t.account_id = u.account_id) IS NOT TRUE`,
  ],
  ['usage_posted_twice', 'u.rows > 1'],
  [
    'usage_differs_from_entries',
    `t.kind = 'usage' AND u.number IS NOT NULL AND (
       u.cost <> -coalesce(e.customer, 0) OR u.cost <> coalesce(e.revenue, 0)
       OR u.upstream_cost <> coalesce(e.payable, 0) OR u.upstream_cost <> -coalesce(e.upstream, 0))`,
  ],
  ['lost_attempt_without_row', `t.kind = 'lost_attempt' AND l.number IS NULL`],
  [
    'lost_attempt_without_transaction',
    `l.number IS NOT NULL AND (t.kind = 'lost_attempt' AND t.request_id = l.request_id AND l.rows = 1) IS NOT TRUE`,
  ],
  [
    'lost_attempt_differs_from_entries',
    `t.kind = 'lost_attempt' AND l.number IS NOT NULL AND (e.customer IS NOT NULL OR e.revenue IS NOT NULL
       OR l.upstream_cost <> coalesce(e.payable, 0) OR l.upstream_cost <> -coalesce(e.upstream, 0))`,
  ],
];

const differenceRow = z.object({
  number: column.bigint,
  checks: z.array(z.enum(AUDIT_CHECKS)),
  expected: column.bigint.nullable(),
  found: column.bigint.nullable(),
});

async function differencesIn(reader: Reader, after: number, to: number): Promise<AuditDifference[]> {
  const rows = await readRows(
    reader,
    differenceRow,
    `WITH t AS (
         SELECT number, kind, account_id, request_id FROM billing.ledger_transaction
         WHERE number > $1 AND number <= $2
       ), e AS (
         SELECT number, sum(amount_pico) AS total,
           sum(amount_pico) FILTER (WHERE ledger_account LIKE 'customer:%') AS customer,
           sum(amount_pico) FILTER (WHERE ledger_account LIKE 'revenue:%') AS revenue,
           sum(amount_pico) FILTER (WHERE ledger_account LIKE 'payable:%') AS payable,
           sum(amount_pico) FILTER (WHERE ledger_account LIKE 'cost:%') AS upstream
         FROM billing.ledger_entry WHERE number > $1 AND number <= $2 GROUP BY number
       ), u AS (
         SELECT number, count(*) AS rows, min(request_id) AS request_id, (array_agg(account_id))[1] AS account_id,
           sum(cost_pico) AS cost, coalesce(sum(upstream_cost_pico), 0) AS upstream_cost
         FROM (${await usageTables(reader)}) AS usage WHERE number > $1 AND number <= $2 GROUP BY number
       ), l AS (
         SELECT number, count(*) AS rows, min(request_id) AS request_id, coalesce(sum(upstream_cost_pico), 0) AS upstream_cost
         FROM billing.lost_attempt WHERE number > $1 AND number <= $2 GROUP BY number
       ), checked AS (
         SELECT number, u.cost AS expected, -e.customer AS found,
           array_remove(ARRAY[${CHECKS.map(([check, wrong]) => `CASE WHEN ${wrong} THEN '${check}' END`).join(', ')}], NULL) AS checks
         FROM t FULL JOIN e USING (number) FULL JOIN u USING (number) FULL JOIN l USING (number)
       )
       SELECT * FROM checked WHERE cardinality(checks) > 0 ORDER BY number LIMIT $3`,
    [after, to, MAX_LISTED],
  );
  return rows.flatMap(({ number, checks, expected, found }) =>
    checks.map((check) => ({
      check,
      number: Number(number),
      ...(check === 'usage_differs_from_entries'
        ? { expectedPico: BigInt(expected ?? 0), foundPico: BigInt(found ?? 0) }
        : {}),
    })),
  );
}

const archivedTableRow = z.object({ name: column.text });

/** The usage log and the months that were taken out of it. */
async function usageTables(reader: Reader): Promise<string> {
  const archived = await readRows(
    reader,
    archivedTableRow,
    `SELECT format('%I.%I', n.nspname, c.relname) AS name
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN ('billing', 'billing_archive') AND c.relname ~ '^usage_[0-9]'
       AND c.relkind = 'r' AND NOT c.relispartition ORDER BY 1`,
  );
  return ['billing.usage', ...archived.map(({ name }) => name)]
    .map((table) => `SELECT number, request_id, account_id, cost_pico, upstream_cost_pico FROM ${table}`)
    .join(' UNION ALL ');
}
