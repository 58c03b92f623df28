import { formatUsd } from '@tollgate/money';
import { column, readRow, readRows } from '@tollgate/platform';
import type { TransactionKind } from '@tollgate/vocabulary';
import { z } from 'zod';
import { customer } from './ledger-accounts.ts';
import { type BookedTransaction, type Reader, transactionRow, withEntries } from './transactions.ts';

interface TransactionFilter {
  /** Without one, those of all accounts. */
  readonly accountId?: string | undefined;
  readonly kind?: TransactionKind | undefined;
  /** By the moment it counts at; inclusive. */
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
  /** The number that the page before ended with. */
  readonly cursor?: number | undefined;
  readonly limit: number;
}

interface TransactionPage {
  readonly items: readonly BookedTransaction[];
  /** Given to the next request; null at the end. */
  readonly next: number | null;
}

/** A page of the ledger, the highest number first. Usage that cost nothing has no entries and is not listed. */
export async function listTransactions(reader: Reader, filter: TransactionFilter): Promise<TransactionPage> {
  const conditions: string[] = [];
  const values: unknown[] = [];
  const where = (condition: (place: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  const byPeople = filter.kind !== undefined && filter.kind !== 'usage';
  where((at) => `t.account_id = ${at}`, filter.accountId);
  where((at) => `t.kind = ${at}`, filter.kind);
  where((at) => `t.booked_at >= ${at}`, filter.from);
  where((at) => `t.booked_at < ${at}`, filter.to);
  where((at) => `t.number < ${at}`, filter.cursor);
  // Each of these has an index that holds an account's transactions by number.
  if (byPeople) conditions.push(`t.kind <> 'usage'`);
  else if (filter.accountId === undefined) {
    conditions.push('EXISTS (SELECT FROM billing.ledger_entry e WHERE e.number = t.number)');
  } else {
    where((at) => `e.ledger_account = ${at}`, customer(filter.accountId));
    where((at) => `e.number < ${at}`, filter.cursor);
  }
  const throughEntries = !byPeople && filter.accountId !== undefined;
  values.push(filter.limit + 1);
  const rows = await readRows(
    reader,
    transactionRow,
    `SELECT t.* FROM ${throughEntries ? 'billing.ledger_entry e JOIN' : ''} billing.ledger_transaction t
       ${throughEntries ? 'USING (number)' : ''}
     WHERE ${conditions.length === 0 ? 'true' : conditions.join(' AND ')}
     ORDER BY ${throughEntries ? 'e' : 't'}.number DESC LIMIT $${values.length}`,
    values,
  );
  const items = await withEntries(reader, rows.slice(0, filter.limit));
  return { items, next: rows.length > filter.limit ? (items.at(-1)?.number ?? null) : null };
}

const totalsRow = z.object({ transactions: column.bigint, amount: column.text });

/** What all transactions that fit did to balances of customers; usage that cost nothing is not among them. */
export async function sumTransactions(
  reader: Reader,
  { accountId, kind, from, to }: Omit<TransactionFilter, 'cursor' | 'limit'>,
): Promise<{ readonly transactions: number; readonly amount_usd: string }> {
  const totals = await readRow(
    reader,
    totalsRow,
    `SELECT count(*) AS transactions, coalesce(sum(e.amount_pico), 0)::text AS amount
     FROM billing.ledger_transaction t JOIN billing.ledger_entry e
       ON e.number = t.number AND e.ledger_account = 'customer:' || t.account_id
     WHERE ($1::uuid IS NULL OR t.account_id = $1) AND ($2::text IS NULL OR t.kind = $2)
       AND ($3::timestamptz IS NULL OR t.booked_at >= $3) AND ($4::timestamptz IS NULL OR t.booked_at < $4)`,
    [accountId ?? null, kind ?? null, from ?? null, to ?? null],
  );
  return {
    transactions: Number(totals?.transactions ?? 0),
    amount_usd: formatUsd(BigInt(totals?.amount ?? '0')),
  };
}

/** A transaction as its customer sees it: what it did to the balance, and why. */
export const shownToCustomer = (transaction: BookedTransaction) => ({
  number: transaction.number,
  first_number: transaction.firstNumber,
  kind: transaction.kind,
  account_id: transaction.accountId,
  request_id: transaction.requestId,
  corrects: transaction.corrects,
  amount_usd: formatUsd(
    transaction.entries
      .filter(({ ledgerAccount }) => ledgerAccount === customer(transaction.accountId))
      .reduce((sum, { amountPico }) => sum + amountPico, 0n),
  ),
  occurred_at: transaction.occurredAt.toISOString(),
  booked_at: transaction.bookedAt.toISOString(),
  posted_at: transaction.postedAt.toISOString(),
  reason: transaction.reason,
});

/** The same for those who keep the books: who entered it, and every entry. */
export const shownToBookkeeper = (transaction: BookedTransaction) => ({
  ...shownToCustomer(transaction),
  actor: transaction.actor,
  idempotency_key: transaction.idempotencyKey,
  entries: transaction.entries.map(({ ledgerAccount, amountPico }) => ({
    ledger_account: ledgerAccount,
    amount_usd: formatUsd(amountPico),
  })),
});
