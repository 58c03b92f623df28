import { column, readRows } from '@tollgate/platform';
import type { AuditCheck } from '@tollgate/vocabulary';
import { z } from 'zod';
import type { AuditDifference } from './audit-range.ts';
import type { Reader } from './transactions.ts';

const MAX_LISTED = 1_000;

/** One statement, and so one moment: sums that are kept beside what they are the sums of. */
export interface Comparison {
  readonly check: AuditCheck;
  readonly kept: string;
  readonly counted: string;
  /** What tells the rows of both apart; among it `account_id`. */
  readonly key: readonly string[];
  readonly sums: readonly string[];
  /** The amount that is told of an account whose rows differ. */
  readonly amount: string;
}

const differingSumRow = z.object({ account_id: column.text, expected: column.bigint, found: column.bigint });

/** Accounts of which a row is not what it is the sum of, or is missing, or is there for nothing. */
export async function compareSums(
  reader: Reader,
  { check, kept, counted, key, sums, amount }: Comparison,
  values: readonly unknown[] = [],
): Promise<AuditDifference[]> {
  const rows = await readRows(
    reader,
    differingSumRow,
    `SELECT account_id, coalesce(sum(counted.${amount}), 0)::text AS expected, coalesce(sum(kept.${amount}), 0)::text AS found
     FROM (${kept}) AS kept FULL JOIN (${counted}) AS counted USING (${key.join(', ')})
     WHERE ${sums.map((sum) => `coalesce(kept.${sum}, 0) <> coalesce(counted.${sum}, 0)`).join(' OR ')}
     GROUP BY account_id ORDER BY account_id LIMIT ${MAX_LISTED}`,
    [...values],
  );
  return rows.map(({ account_id, expected, found }) => ({
    check,
    accountId: account_id,
    expectedPico: BigInt(expected),
    foundPico: BigInt(found),
  }));
}
