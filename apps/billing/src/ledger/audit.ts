import type { AnswerOf, ledger } from '@tollgate/api';
import { formatUsd } from '@tollgate/money';
import { column, readRow, readRows } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { type AuditDifference, auditRange } from './audit-range.ts';
import { auditSums, auditAccountSums } from './audit-sums.ts';
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

export interface LedgerAudits {
  /**
   * Checks what was posted since the last audit that found nothing: cheap enough for every minute. What is more than a
   * few seconds' work is left to the next one; balances are checked by the one that gets to the end.
   */
  incremental(): Promise<AuditReport>;
  /** Checks everything. */
  complete(): Promise<AuditReport>;
}

/** Transactions are checked by so many, so that no query holds much. */
const SLICE = 250_000;
const SLICE_TIMEOUT_MS = 600_000;

/**
 * Proves the books. What is numbered up to the journal's last number is there and never changes, so that an audit needs
 * no lock and disturbs nobody; and what was found right once, with the balances it led to, is where the next one begins.
 */
export function createLedgerAudits(
  database: Transactions,
  slice: number = SLICE,
  onReplica: <T>(work: (replica: Transactions) => Promise<T>) => Promise<T> = (work) => work(database),
): LedgerAudits {
  let running: Promise<AuditReport> | undefined;
  return {
    incremental: () => auditNew(database, slice),
    // Whoever asks while one is running gets that one's answer.
    complete: () =>
      (running ??= auditAll(database, slice, onReplica).finally(() => {
        running = undefined;
      })),
  };
}

const auditNew = (database: Transactions, slice: number): Promise<AuditReport> =>
  database.transaction(async (manager) => {
    const report = await audit(manager, await lockProven(manager), {
      slice,
      max: slice,
      sums: auditAccountSums,
    });
    if (report.differences.length === 0) await saveProven(manager, report);
    return withoutBalances(report);
  });

async function auditAll(
  database: Transactions,
  slice: number,
  onReplica: <T>(work: (replica: Transactions) => Promise<T>) => Promise<T>,
): Promise<AuditReport> {
  const report = await onReplica((replica) =>
    replica.transaction((manager) =>
      audit(manager, { number: 0, balances: new Map() }, { slice, max: Infinity, sums: auditSums }),
    ),
  );
  if (report.differences.length === 0) {
    await database.transaction(async (manager) => {
      const proven = await lockProven(manager);
      if (proven.number < report.to) await saveProven(manager, report);
    });
  }
  return withoutBalances(report);
}

/** A place in the journal up to which everything is right, and the balances there. */
interface Proven {
  readonly number: number;
  readonly balances: ReadonlyMap<string, bigint>;
}

type Balanced = AuditReport & { readonly balances: ReadonlyMap<string, bigint> };

async function audit(
  manager: EntityManager,
  start: Proven,
  {
    slice,
    max,
    sums: differingSums,
  }: {
    readonly slice: number;
    readonly max: number;
    /** Of the accounts that the range is about. */
    readonly sums: (reader: Reader, accountIds: readonly string[]) => Promise<readonly AuditDifference[]>;
  },
): Promise<Balanced> {
  await manager.query(`SET LOCAL statement_timeout = ${SLICE_TIMEOUT_MS}`);
  const books = await readBooks(manager);
  const target = Math.min(books.number, start.number + max);
  const folded = new Map(start.balances);
  const differences: AuditDifference[] = [];
  const touched = new Set<string>();
  const sums = { transactions: 0, entries: 0, imbalancePico: 0n };
  let to = start.number;
  while (to < target) {
    const end = await endOfSlice(manager, to, Math.min(to + slice, target), books.number);
    const range = await auditRange(manager, to, end);
    to = end;
    sums.transactions += range.transactions;
    sums.entries += range.entries;
    sums.imbalancePico += range.imbalancePico;
    for (const [id, sum] of range.customers) {
      folded.set(id, (folded.get(id) ?? 0n) + sum);
      touched.add(id);
    }
    differences.push(...range.differences);
  }
  if (to === books.number) {
    differences.push(...differingBalances(folded, books.balances));
    differences.push(...(await differingSums(manager, [...touched])));
  }
  return {
    after: start.number,
    to,
    ...sums,
    accounts: books.balances.size,
    differences,
    balances: folded,
  };
}

const endRow = z.object({ end: column.bigint });

/** The end of a transaction near a number: one of many numbers is in one slice as a whole. */
async function endOfSlice(reader: Reader, after: number, near: number, last: number): Promise<number> {
  if (near === last) return last;
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

const SHOWN = 100;

/** A report as the API answers it; of many differences the first hundred. */
export const shownAudit = (report: AuditReport): AnswerOf<typeof ledger.auditLedger> => ({
  after: report.after,
  to: report.to,
  transactions: report.transactions,
  entries: report.entries,
  accounts: report.accounts,
  imbalance_usd: formatUsd(report.imbalancePico),
  difference_count: report.differences.length,
  differences: report.differences.slice(0, SHOWN).map((difference) => ({
    check: difference.check,
    number: difference.number ?? null,
    account_id: difference.accountId ?? null,
    expected_usd: difference.expectedPico === undefined ? null : formatUsd(difference.expectedPico),
    found_usd: difference.foundPico === undefined ? null : formatUsd(difference.foundPico),
  })),
});
