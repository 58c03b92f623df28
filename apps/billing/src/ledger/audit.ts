import { column, readRow, readRows } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { type AuditDifference, auditRange } from './audit-range.ts';
import { auditAccountSums } from './audit-sums.ts';
import type { Transactions } from './journal.ts';
import type { Reader } from './transactions.ts';

/** What an audit looked at and what differs from what must hold. */
export interface AuditReport {
  /** Transactions above this number… */
  readonly after: number;
  /** …and up to this one were checked. */
  readonly to: number;
  readonly transactions: number;
  readonly entries: number;
  readonly accounts: number;
  readonly imbalancePico: bigint;
  readonly differences: readonly AuditDifference[];
}

/** Transactions are checked by so many, so that no query holds much. */
export const AUDITED_AT_ONCE = 250_000;
export const SLICE_TIMEOUT_MS = 600_000;

/**
 * Checks what was posted since the last audit that found nothing: cheap enough for every minute. What is more than a few
 * seconds' work is left to the next one; balances are checked by the one that gets to the end.
 *
 * What is numbered up to the journal's last number is there and never changes, so that an audit needs no lock and disturbs
 * nobody; and what was found right once, with the balances it led to, is where the next one begins.
 */
export const auditNew = (database: Transactions, slice: number = AUDITED_AT_ONCE): Promise<AuditReport> =>
  database.transaction(async (manager) => {
    const report = await audit(manager, await lockProven(manager), slice);
    if (report.differences.length === 0) await saveProven(manager, report);
    return withoutBalances(report);
  });

/** A place in the journal up to which everything is right, and the balances there. */
interface Proven {
  readonly number: number;
  readonly balances: ReadonlyMap<string, bigint>;
}

type Balanced = AuditReport & { readonly balances: ReadonlyMap<string, bigint> };

async function audit(manager: EntityManager, start: Proven, slice: number): Promise<Balanced> {
  await manager.query(`SET LOCAL statement_timeout = ${SLICE_TIMEOUT_MS}`);
  const books = await readBooks(manager);
  const to = await endOfSlice(manager, start.number, start.number + slice, books.number);
  const { customers, differences, ...sums } = await auditRange(manager, start.number, to);
  const balances = new Map(start.balances);
  for (const [id, sum] of customers) balances.set(id, (balances.get(id) ?? 0n) + sum);
  const ofAccounts =
    to === books.number
      ? [
          ...differingBalances(balances, books.balances),
          ...(await auditAccountSums(manager, [...customers.keys()])),
        ]
      : [];
  return {
    after: start.number,
    to,
    ...sums,
    accounts: books.balances.size,
    differences: [...differences, ...ofAccounts],
    balances,
  };
}

const endRow = z.object({ end: column.bigint });

/** The end of a transaction near a number: one of many numbers is in one slice as a whole. */
export async function endOfSlice(reader: Reader, after: number, near: number, last: number): Promise<number> {
  if (near >= last) return last;
  const row = await readRow(
    reader,
    endRow,
    `SELECT coalesce(
       (SELECT max(number) FROM billing.ledger_transaction WHERE number > $1 AND number <= $2),
       (SELECT min(number) FROM billing.ledger_transaction WHERE number > $2 AND number <= $3), $3) AS end`,
    [after, near, last],
  );
  return Number(row?.end);
}

const differingBalances = (
  folded: Proven['balances'],
  kept: Proven['balances'],
): readonly AuditDifference[] =>
  [...new Set([...folded.keys(), ...kept.keys()])]
    .map((accountId) => ({
      check: 'balance_differs_from_entries' as const,
      accountId,
      expectedPico: folded.get(accountId) ?? 0n,
      foundPico: kept.get(accountId) ?? 0n,
    }))
    .filter(({ expectedPico, foundPico }) => expectedPico !== foundPico);

const withoutBalances = ({ balances: _, ...report }: Balanced): AuditReport => report;

const journalRow = z.object({
  last_number: column.bigint,
  account_id: column.text.nullable(),
  balance_pico: column.bigint.nullable(),
});

/** The journal's last number and the balances as of it: one statement sees both at one moment. */
async function readBooks(reader: Reader): Promise<Proven> {
  const rows = await readRows(
    reader,
    journalRow,
    `SELECT last_number, account_id, balance_pico
       FROM (SELECT last_number FROM billing.journal) AS journal
       LEFT JOIN (SELECT account_id, balance_pico FROM billing.account_balance) AS balance ON true`,
  );
  return { number: Number(rows[0]?.last_number), balances: balancesOf(rows) };
}

const provenBalanceRow = z.object({ account_id: column.text, balance_pico: column.bigint });

const provenNumberRow = z.object({ number: column.bigint });

/** Where the next incremental audit begins; audits that want to move it take turns. */
async function lockProven(manager: EntityManager): Promise<Proven> {
  const row = await readRow(manager, provenNumberRow, 'SELECT number FROM billing.ledger_audit FOR UPDATE');
  const rows = await readRows(
    manager,
    provenBalanceRow,
    'SELECT account_id, balance_pico FROM billing.audited_balance',
  );
  return { number: Number(row?.number), balances: balancesOf(rows) };
}

async function saveProven(manager: EntityManager, { to, balances }: Balanced): Promise<void> {
  await manager.query('UPDATE billing.ledger_audit SET number = $1, audited_at = now()', [to]);
  await manager.query(
    `INSERT INTO billing.audited_balance AS b (account_id, balance_pico)
     SELECT * FROM unnest($1::text[], $2::numeric[])
     ON CONFLICT (account_id) DO UPDATE SET balance_pico = excluded.balance_pico
     WHERE b.balance_pico <> excluded.balance_pico`,
    [[...balances.keys()], [...balances.values()].map(String)],
  );
}

const balancesOf = (
  rows: readonly { readonly account_id: string | null; readonly balance_pico: string | null }[],
): Map<string, bigint> =>
  new Map(
    rows.flatMap(({ account_id, balance_pico }) =>
      account_id === null ? [] : [[account_id, BigInt(balance_pico ?? 0)] as const],
    ),
  );
