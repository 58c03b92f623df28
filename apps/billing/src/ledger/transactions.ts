import { column, readRow, readRows } from '@tollgate/platform';
import { TRANSACTION_KINDS, type TransactionKind } from '@tollgate/vocabulary';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { Journal, LedgerEntry, NewTransaction } from './journal.ts';
import { customer } from './ledger-accounts.ts';

/** A transaction as it stands in the books. */
export interface BookedTransaction {
  readonly number: number;
  readonly kind: TransactionKind;
  readonly accountId: string;
  readonly requestId: string | null;
  readonly idempotencyKey: string | null;
  readonly askedDigest: string | null;
  readonly corrects: number | null;
  readonly occurredAt: Date;
  readonly bookedAt: Date;
  readonly postedAt: Date;
  readonly actor: string | null;
  readonly reason: string | null;
  readonly entries: readonly LedgerEntry[];
}

export const transactionRow = z.object({
  number: column.bigint,
  kind: z.enum(TRANSACTION_KINDS),
  account_id: column.uuid,
  request_id: column.text.nullable(),
  idempotency_key: column.text.nullable(),
  asked_digest: column.text.nullable(),
  corrects: column.bigint.nullable(),
  occurred_at: column.timestamp,
  booked_at: column.timestamp,
  posted_at: column.timestamp,
  actor: column.text.nullable(),
  reason: column.text.nullable(),
});
type TransactionRow = z.infer<typeof transactionRow>;

/** Where rows are read from: a transaction, or outside of any. */
export type Reader = Pick<EntityManager, 'query'>;

/** A transaction by its number, request or idempotency key; undefined when there is none. */
export async function readTransaction(
  reader: Reader,
  by: { readonly number: number } | { readonly requestId: string } | { readonly idempotencyKey: string },
): Promise<BookedTransaction | undefined> {
  const [name, value] =
    'number' in by
      ? ['number', by.number]
      : 'requestId' in by
        ? ['request_id', by.requestId]
        : ['idempotency_key', by.idempotencyKey];
  const rows = await readRows(
    reader,
    transactionRow,
    `SELECT * FROM billing.ledger_transaction WHERE ${name} = $1`,
    [value],
  );
  return (await withEntries(reader, rows))[0];
}

const entryRow = z.object({
  number: column.bigint,
  ledger_account: column.text,
  amount_pico: column.bigint,
});

/** Transactions with their entries, in the order of the rows. */
export async function withEntries(
  reader: Reader,
  rows: readonly TransactionRow[],
): Promise<BookedTransaction[]> {
  const entries = await readRows(
    reader,
    entryRow,
    `SELECT number, ledger_account, amount_pico FROM billing.ledger_entry
     WHERE number = ANY($1) ORDER BY number, ledger_account`,
    [rows.map(({ number }) => number)],
  );
  const byNumber = Map.groupBy(entries, ({ number }) => number);
  return rows.map((row) => ({
    number: Number(row.number),
    kind: row.kind,
    accountId: row.account_id,
    requestId: row.request_id,
    idempotencyKey: row.idempotency_key,
    askedDigest: row.asked_digest,
    corrects: row.corrects === null ? null : Number(row.corrects),
    occurredAt: row.occurred_at,
    bookedAt: row.booked_at,
    postedAt: row.posted_at,
    actor: row.actor,
    reason: row.reason,
    entries: (byNumber.get(row.number) ?? []).map(({ ledger_account, amount_pico }) => ({
      ledgerAccount: ledger_account,
      amountPico: BigInt(amount_pico),
    })),
  }));
}

/** Writes one transaction and answers it as it stands in the books. */
export async function appendOne(
  { append, manager }: Journal,
  transaction: NewTransaction,
): Promise<BookedTransaction> {
  for (const { number } of await append([transaction])) {
    const booked = await readTransaction(manager, { number });
    if (booked) return booked;
  }
  throw new Error('what was appended to the ledger is not there');
}

const balanceRow = z.object({ balance_pico: column.bigint, last_number: column.bigint });

/** A customer's balance and the transaction that changed it last: what was paid in less what was used. */
export async function readBalance(
  reader: Reader,
  accountId: string,
): Promise<{ balancePico: bigint; lastNumber: number }> {
  const row = await readRow(
    reader,
    balanceRow,
    'SELECT balance_pico, last_number FROM billing.account_balance WHERE account_id = $1',
    [accountId],
  );
  return { balancePico: BigInt(row?.balance_pico ?? 0), lastNumber: Number(row?.last_number ?? 0) };
}

const accountBalanceRow = z.object({ account_id: column.uuid, balance_pico: column.bigint });

/** The balances of customers in pico-USD; who has no transaction yet is not among them. */
export async function readBalances(
  reader: Reader,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await readRows(
    reader,
    accountBalanceRow,
    'SELECT account_id, balance_pico FROM billing.account_balance WHERE account_id = ANY($1)',
    [accountIds],
  );
  return new Map(rows.map(({ account_id, balance_pico }) => [account_id, BigInt(balance_pico)]));
}

const accountNameRow = z.object({ id: column.uuid, name: column.text });

/** What accounts are called, by their ids. */
export async function accountNames(
  reader: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await readRows(
    reader,
    accountNameRow,
    'SELECT id, name FROM billing.account WHERE id = ANY($1)',
    [[...new Set(ids)]],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

const takenRow = z.object({ taken: column.bigint });

/** What of a usage transaction is still paid: its cost less refunds that were not undone. */
export async function readRemaining(
  reader: Reader,
  { number, accountId }: Pick<BookedTransaction, 'number' | 'accountId'>,
): Promise<bigint> {
  const row = await readRow(
    reader,
    takenRow,
    `WITH RECURSIVE about (number) AS (
       SELECT $1::bigint
       UNION ALL SELECT t.number FROM billing.ledger_transaction t JOIN about ON t.corrects = about.number
     )
     SELECT coalesce(-sum(e.amount_pico), 0) AS taken
     FROM billing.ledger_entry e JOIN about USING (number) WHERE e.ledger_account = $2`,
    [number, customer(accountId)],
  );
  return BigInt(row?.taken ?? 0);
}

/** The usage transaction that a refund, or a correction of one, is about. */
export async function usageBehind(reader: Reader, number: number): Promise<BookedTransaction | undefined> {
  const rows = await readRows(
    reader,
    transactionRow,
    `WITH RECURSIVE above AS (
       SELECT * FROM billing.ledger_transaction WHERE number = $1
       UNION ALL SELECT t.* FROM billing.ledger_transaction t JOIN above ON t.number = above.corrects
     )
     SELECT * FROM above WHERE kind = 'usage'`,
    [number],
  );
  return (await withEntries(reader, rows))[0];
}

const correctionNumberRow = z.object({ number: column.bigint });

/** The numbers of the refunds and corrections of a transaction. */
export async function listCorrections(reader: Reader, number: number): Promise<number[]> {
  const rows = await readRows(
    reader,
    correctionNumberRow,
    'SELECT number FROM billing.ledger_transaction WHERE corrects = $1 ORDER BY number',
    [number],
  );
  return rows.map((row) => Number(row.number));
}
