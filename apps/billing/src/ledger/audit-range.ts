import { column, readRow, readRows } from '@tollgate/platform';
import { AUDIT_CHECKS, type AuditCheck } from '@tollgate/vocabulary';
import { z } from 'zod';
import { usageRows } from '../periods/usage-rows.ts';
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
  numbers: column.bigint,
  entries: column.bigint,
  imbalance: column.bigint,
});

/** Checks the transactions numbered above `after` up to `to`, which are ends of transactions. All of them must be committed. */
export async function auditRange(reader: Reader, after: number, to: number): Promise<AuditedRange> {
  const range = [after, to];
  const sums = await readRow(
    reader,
    rangeSumsRow,
    `SELECT t.transactions, t.numbers, e.entries, e.imbalance
     FROM (SELECT count(*) AS transactions, coalesce(sum(numbers), 0) AS numbers FROM billing.ledger_transaction
       WHERE number > $1 AND number <= $2) AS t,
     (SELECT count(*) AS entries, coalesce(sum(amount_pico), 0) AS imbalance FROM billing.ledger_entry
       WHERE number > $1 AND number <= $2) AS e`,
    range,
  );
  const customers = await readRows(
    reader,
    customerSumRow,
    `SELECT substr(ledger_account, 10) AS account_id, sum(amount_pico) AS sum
     FROM billing.ledger_entry WHERE number > $1 AND number <= $2 AND ledger_account LIKE 'customer:%' GROUP BY 1`,
    range,
  );
  return {
    transactions: Number(sums?.transactions),
    entries: Number(sums?.entries),
    imbalancePico: BigInt(sums?.imbalance ?? 0),
    customers: new Map(customers.map(({ account_id, sum }) => [account_id, BigInt(sum)])),
    differences: [...(await wrongNumbers(reader, after, to)), ...(await differencesIn(reader, after, to))],
  };
}

const wrongNumberRow = z.object({ number: column.bigint, is_missing: column.boolean });

/** Each number up to the last is one transaction's. */
async function wrongNumbers(reader: Reader, after: number, to: number): Promise<AuditDifference[]> {
  const rows = await readRows(
    reader,
    wrongNumberRow,
    `WITH spans AS (
       SELECT number - numbers + 1 AS first, lag(number, 1, $1) OVER (ORDER BY number) AS before
       FROM billing.ledger_transaction WHERE number > $1 AND number <= $2
       UNION ALL SELECT $2 + 1, coalesce(max(number), $1) FROM billing.ledger_transaction WHERE number > $1 AND number <= $2)
     SELECT number, before < first AS is_missing FROM spans,
       LATERAL generate_series(least(before + 1, first), greatest(before, first - 1)) AS number
     WHERE first <> before + 1 ORDER BY number LIMIT $3`,
    [after, to, MAX_LISTED],
  );
  return rows.map(({ number, is_missing: isMissing }) => ({
    check: isMissing ? 'number_missing' : 'number_taken_twice',
    number: Number(number),
  }));
}

/** By transaction, or by the number of a row that has none. */
const CHECKS: readonly (readonly [AuditCheck, string])[] = [
  ['entries_without_transaction', 't.number IS NULL AND e.number IS NOT NULL'],
  ['entries_not_balanced', 'e.total <> 0'],
  ['transaction_without_entries', `e.number IS NULL AND t.kind NOT IN ('usage', 'lost_attempt')`],
  [
    'transaction_without_usage',
    `t.kind = 'usage' AND coalesce(u.numbers, 0) + coalesce(gone.numbers, 0) < t.numbers`,
  ],
  [
    'usage_without_transaction',
    `u.number IS NOT NULL AND (t.kind = 'usage' AND u.accounts = 1 AND u.account_id = t.account_id
       AND coalesce(t.request_id, u.request_id) = u.request_id) IS NOT TRUE`,
  ],
  ['usage_posted_twice', 'u.rows > least(u.numbers, u.requests, t.numbers - coalesce(gone.numbers, 0))'],
  [
    'usage_differs_from_entries',
    `t.kind = 'usage' AND u.number IS NOT NULL AND gone.number IS NULL AND d.number IS NOT NULL`,
  ],
  [
    'lost_attempt_without_row',
    `t.kind = 'lost_attempt' AND coalesce(l.numbers, 0) + coalesce(gone.numbers, 0) < t.numbers`,
  ],
  [
    'lost_attempt_without_transaction',
    `l.number IS NOT NULL AND (t.kind = 'lost_attempt' AND l.rows = l.numbers AND l.rows <= t.numbers - coalesce(gone.numbers, 0)
       AND coalesce(t.request_id, l.request_id) = l.request_id) IS NOT TRUE`,
  ],
  [
    'lost_attempt_differs_from_entries',
    `t.kind = 'lost_attempt' AND l.number IS NOT NULL AND gone.number IS NULL AND d.number IS NOT NULL`,
  ],
  [
    'digest_differs_from_rows',
    `gone.number IS NULL AND t.digest <> sha256(convert_to(coalesce(u.digested, l.digested), 'UTF8'))`,
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
         SELECT number, numbers, kind, account_id, request_id, digest FROM billing.ledger_transaction
         WHERE number > $1 AND number <= $2
       ), places AS MATERIALIZED (
         SELECT t.number, place FROM t, LATERAL generate_series(t.number - t.numbers + 1, t.number) AS place
         WHERE t.kind IN ('usage', 'lost_attempt')
       ), gone AS MATERIALIZED (${DROPPED}
       ), e AS (
         SELECT number, sum(amount_pico) AS total,
           sum(amount_pico) FILTER (WHERE ledger_account LIKE 'customer:%') AS customer
         FROM billing.ledger_entry WHERE number > $1 AND number <= $2 GROUP BY number
       ), used AS MATERIALIZED (
         SELECT coalesce(p.number, u.number) AS number, u.number AS place, u.request_id, u.account_id, u.vendor, u.upstream,
           u.cost_pico, u.upstream_cost_pico
         FROM (${await usageRows(reader, USAGE_COLUMNS)}) AS u LEFT JOIN places p ON p.place = u.number
         WHERE u.number > $1 AND u.number <= $2
       ), lost AS MATERIALIZED (
         SELECT coalesce(p.number, l.number) AS number, l.number AS place, l.request_id, l.vendor, l.upstream,
           l.upstream_cost_pico
         FROM billing.lost_attempt l LEFT JOIN places p ON p.place = l.number WHERE l.number > $1 AND l.number <= $2
       ), u AS (
         SELECT number, count(*) AS rows, count(DISTINCT place) AS numbers, count(DISTINCT request_id) AS requests,
           min(request_id) AS request_id, count(DISTINCT account_id) AS accounts,
           min(account_id::text)::uuid AS account_id, sum(cost_pico) AS cost, ${digested('cost_pico')}
         FROM used GROUP BY number
       ), l AS (
         SELECT number, count(*) AS rows, count(DISTINCT place) AS numbers, min(request_id) AS request_id, ${digested('0')}
         FROM lost GROUP BY number
       ), summed AS (
         SELECT number, account_id, vendor, upstream, sum(cost_pico) AS cost, sum(upstream_cost_pico) AS upstream_cost
         FROM used GROUP BY 1, 2, 3, 4
       ), expected AS (
         SELECT number, ledger_account, sum(amount) AS amount FROM (
           SELECT number, v.* FROM summed, LATERAL (VALUES
             ('customer:' || account_id, -cost), ('revenue:' || vendor, cost),
             ('cost:' || upstream, -upstream_cost), ('payable:' || upstream, upstream_cost)
           ) AS v (ledger_account, amount)
           UNION ALL SELECT number, v.* FROM lost, LATERAL (VALUES
             ('cost:' || upstream, -upstream_cost_pico), ('payable:' || upstream, upstream_cost_pico)
           ) AS v (ledger_account, amount)) AS each
         GROUP BY 1, 2
       ), d AS (
         SELECT DISTINCT number FROM expected FULL JOIN (
           SELECT number, ledger_account, amount_pico FROM billing.ledger_entry WHERE number > $1 AND number <= $2
         ) AS entry USING (number, ledger_account)
         WHERE coalesce(expected.amount, 0) <> coalesce(entry.amount_pico, 0)
       ), checked AS (
         SELECT number, u.cost AS expected, -e.customer AS found,
           array_remove(ARRAY[${CHECKS.map(([check, wrong]) => `CASE WHEN ${wrong} THEN '${check}' END`).join(', ')}], NULL) AS checks
         FROM t FULL JOIN e USING (number) FULL JOIN u USING (number) FULL JOIN l USING (number) LEFT JOIN d USING (number)
           LEFT JOIN gone USING (number)
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

/**
 * How many numbers of each transaction had rows of the log, or lost attempts, that were dropped. There are never more transactions than numbers; to say
 * so keeps the planner from thinking of a thousand for each, for which it would lay out thousands of files.
 */
const DROPPED = `
  SELECT p.number, count(*) AS numbers FROM places p JOIN (
    SELECT generate_series(greatest(first, $1 + 1), least(last, $2)) AS place FROM billing.usage_rollup_numbers
    WHERE first <= $2 AND first >= coalesce(
      (SELECT max(first) FROM billing.usage_rollup_numbers WHERE first <= $1), 0)
  ) AS dropped USING (place) GROUP BY 1 LIMIT $2::bigint - $1::bigint`;

const USAGE_COLUMNS = [
  'number',
  'request_id',
  'account_id',
  'vendor',
  'upstream',
  'cost_pico',
  'upstream_cost_pico',
];

/** What posting has made the digest of a transaction of: a line for each row. */
const digested = (
  cost: string,
): string => `string_agg(concat_ws(E'\\t', place, request_id, vendor, upstream, ${cost},
  coalesce(upstream_cost_pico::text, '')) || E'\\n', '' ORDER BY place, request_id) AS digested`;
