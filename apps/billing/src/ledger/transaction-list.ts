import type { ledger, RequestOf } from '@tollgate/api';
import { formatUsd } from '@tollgate/money';
import { column, hasRows, readRow, readRows } from '@tollgate/platform';
import { SORT_WINDOW, type TransactionKind } from '@tollgate/vocabulary';
import { z } from 'zod';
import { createConditions } from '../database/conditions.ts';
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
}

interface PageFilter extends TransactionFilter {
  readonly sort?: RequestOf<typeof ledger.listTransactions>['query']['sort'];
  /** What the page before ended with. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

interface TransactionPage {
  readonly items: readonly BookedTransaction[];
  /** Given to the next request; null at the end. */
  readonly next: string | null;
}

/** A page of the ledger, the highest number first. Usage that cost nothing has no entries and is not listed. */
export async function listTransactions(reader: Reader, filter: PageFilter): Promise<TransactionPage> {
  const isDescending = filter.sort?.startsWith('-') ?? true;
  if (filter.sort?.endsWith('amount')) return listByAmount(reader, filter, isDescending);
  const { found, values } = await toQuery(reader, filter, filter.cursor, isDescending ? '<' : '>');
  const rows = await readRows(
    reader,
    transactionRow,
    `SELECT t.* ${found} ${isDescending ? 'DESC' : ''} LIMIT $${values.push(filter.limit + 1)}`,
    values,
  );
  const items = await withEntries(reader, rows.slice(0, filter.limit));
  const last = items.at(-1);
  return { items, next: last && rows.length > filter.limit ? String(last.number) : null };
}

const newestRow = z.object({ number: column.bigint });
const amountRow = transactionRow.extend({ amount: column.text });

/**
 * The newest that fit in the order of what they did to the balance. A cursor says up to which number the first page saw, so
 * that what is booked meanwhile moves nothing.
 */
async function listByAmount(
  reader: Reader,
  filter: PageFilter,
  isDescending: boolean,
): Promise<TransactionPage> {
  const [upTo, amount, number] = filter.cursor?.split(',') ?? [await readNewest(reader)];
  const { found, values } = await toQuery(reader, filter, upTo, '<=');
  const order = isDescending ? 'DESC' : 'ASC';
  const after =
    amount === undefined
      ? 'true'
      : `(amount_pico, number) ${isDescending ? '<' : '>'} ($${values.push(amount)}, $${values.push(number)})`;
  const rows = await readRows(
    reader,
    amountRow,
    `SELECT *, amount_pico::text AS amount FROM (
       SELECT t.*, coalesce((SELECT amount_pico FROM billing.ledger_entry own WHERE own.number = t.number
         AND own.ledger_account = 'customer:' || t.account_id), 0) AS amount_pico ${found} DESC LIMIT ${SORT_WINDOW}
     ) AS newest
     WHERE ${after} ORDER BY amount_pico ${order}, number ${order} LIMIT $${values.push(filter.limit + 1)}`,
    values,
  );
  const page = rows.slice(0, filter.limit);
  const last = page.at(-1);
  return {
    items: await withEntries(reader, page),
    next: last && rows.length > filter.limit ? [upTo, last.amount, last.number].join(',') : null,
  };
}

async function readNewest(reader: Reader): Promise<string> {
  const row = await readRow(
    reader,
    newestRow,
    'SELECT coalesce(max(number), 0) AS number FROM billing.ledger_transaction',
    [],
  );
  return String(row?.number ?? 0);
}

/**
 * A span of few transactions is found by the account's index of times. In a plain join the journal is in the order that is asked
 * for, and the planner might walk back through everybody's until it comes to an old span.
 */
const ENTRIES_IN_SPAN = `billing.ledger_transaction t
      CROSS JOIN LATERAL (SELECT * FROM billing.ledger_entry WHERE number = t.number OFFSET 0) e`;
/** So many are looked up and put in order in some tens of milliseconds. */
const MAX_IN_SPAN = 5_000;
/**
 * Each entry's transaction is looked up by its number, and nothing else is left to the planner: it takes the account of the
 * entries and that of the transactions for two unlike choices, thinks that few rows fit both, and may read everybody's.
 */
const ENTRIES_BY_NUMBER = `billing.ledger_entry e
      CROSS JOIN LATERAL (SELECT * FROM billing.ledger_transaction WHERE number = e.number OFFSET 0) t`;

/** What fits on one side of a number, up to the direction in which numbers are ordered. */
async function toQuery(
  reader: Reader,
  { accountId, kind, from, to }: TransactionFilter,
  place: string | undefined,
  side: '<' | '<=' | '>',
): Promise<{ readonly found: string; readonly values: unknown[] }> {
  const { where, add, joined, values } = createConditions();
  const byPeople = kind !== undefined && kind !== 'usage';
  where((at) => `t.account_id = ${at}`, accountId);
  where((at) => `t.kind = ${at}`, kind);
  where((at) => `t.booked_at >= ${at}`, from);
  where((at) => `t.booked_at < ${at}`, to);
  where((at) => `t.number ${side} ${at}`, place);
  // Each of these has an index that holds an account's transactions by number.
  const throughEntries = !byPeople && accountId !== undefined;
  if (byPeople) add(`t.kind <> 'usage'`);
  else if (accountId === undefined)
    add('EXISTS (SELECT FROM billing.ledger_entry e WHERE e.number = t.number)');
  else {
    where((at) => `e.ledger_account = ${at}`, customer(accountId));
    where((at) => `e.number ${side} ${at}`, place);
  }
  const hasFew = throughEntries && (await hasFewIn(reader, accountId, from, to));
  const tables = !throughEntries
    ? 'billing.ledger_transaction t'
    : hasFew
      ? ENTRIES_IN_SPAN
      : ENTRIES_BY_NUMBER;
  return { found: `FROM ${tables} WHERE ${joined()} ORDER BY ${throughEntries ? 'e' : 't'}.number`, values };
}

/** Whether an account has so few transactions in a span that they may all be read. */
const hasFewIn = async (
  reader: Reader,
  accountId: string,
  from: string | undefined,
  to: string | undefined,
): Promise<boolean> =>
  (from !== undefined || to !== undefined) &&
  !(await hasRows(
    reader,
    // In the order of the index: without it, any rows of the journal might be looked through for so many.
    `SELECT FROM billing.ledger_transaction
     WHERE account_id = $1 AND booked_at >= coalesce($2::timestamptz, '-infinity') AND booked_at < coalesce($3::timestamptz, 'infinity')
     ORDER BY booked_at, number OFFSET ${MAX_IN_SPAN} LIMIT 1`,
    [accountId, from ?? null, to ?? null],
  ));

const totalsRow = z.object({ transactions: column.bigint, amount: column.text });

/** What all transactions that fit did to balances of customers; usage that cost nothing is not among them. */
export async function sumTransactions(
  reader: Reader,
  { accountId, kind, from, to }: TransactionFilter,
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
