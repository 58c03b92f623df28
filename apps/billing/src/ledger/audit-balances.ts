import { column, readRow } from '@tollgate/platform';
import { z } from 'zod';
import type { AuditDifference } from './audit-range.ts';
import { compareSums } from './compare-sums.ts';
import type { Reader } from './transactions.ts';

const BALANCES = {
  check: 'balance_differs_from_entries',
  key: ['account_id'],
  sums: ['balance'],
  amount: 'balance',
} as const;

const upToRow = z.object({ account_id: column.uuid });

/**
 * Compares balances with all entries of their customers, from behind one account to about as many numbers as a slice: names of
 * ledger accounts are compared as texts, so that one of nobody has its place as well.
 */
export async function auditBalances(
  reader: Reader,
  after: string | null,
  slice: number,
): Promise<{ readonly upTo: string | null; readonly differences: readonly AuditDifference[] }> {
  const row = await readRow(
    reader,
    upToRow,
    // Accounts stand in one order by their ids and by the texts of these; the index has that of ids, so that no other sums are read.
    `SELECT account_id FROM (
       SELECT account_id, sum(sum(transactions)) OVER (ORDER BY account_id) AS up_to FROM billing.ledger_month
       WHERE $1::uuid IS NULL OR account_id > $1 GROUP BY account_id) AS booked
     WHERE up_to >= $2 ORDER BY account_id LIMIT 1`,
    [after, slice],
  );
  const upTo = row?.account_id ?? null;
  const between = (name: string): string =>
    [
      ...(after === null ? [] : [`${name} > 'customer:${after}'`]),
      ...(upTo === null ? [] : [`${name} <= 'customer:${upTo}'`]),
      'true',
    ].join(' AND ');
  const differences = await compareSums(reader, {
    ...BALANCES,
    kept: `SELECT account_id::text AS account_id, balance_pico AS balance FROM billing.account_balance
      WHERE ${between(`('customer:' || account_id)`)}`,
    counted: `SELECT substr(ledger_account, 10) AS account_id, sum(amount_pico) AS balance FROM billing.ledger_entry
      WHERE ledger_account LIKE 'customer:%' AND ${between('ledger_account')} GROUP BY 1`,
  });
  return { upTo, differences };
}

/** Compares balances with those that were found right, and with what was entered since. */
export const auditNewBalances = (reader: Reader): Promise<AuditDifference[]> =>
  compareSums(reader, {
    ...BALANCES,
    kept: 'SELECT account_id::text AS account_id, balance_pico AS balance FROM billing.account_balance',
    counted: `SELECT account_id, sum(balance) AS balance FROM (
        SELECT account_id, balance_pico AS balance FROM billing.audited_balance
        UNION ALL SELECT substr(ledger_account, 10), amount_pico FROM billing.ledger_entry
        WHERE number > (SELECT number FROM billing.ledger_audit) AND ledger_account LIKE 'customer:%') AS each
      GROUP BY 1`,
  });
