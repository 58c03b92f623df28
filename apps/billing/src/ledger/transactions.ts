import { column, readRow, readRows } from '@tollgate/platform';
import { TRANSACTION_KINDS, type TransactionKind } from '@tollgate/vocabulary';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { Journal, LedgerEntry, NewTransaction } from './journal.ts';

/** A transaction as it stands in the books. */
export interface BookedTransaction {
  readonly number: number;
  /** The first of the numbers that it takes; `number` is the last. */
  readonly firstNumber: number;
  readonly kind: TransactionKind;
  readonly accountId: string;
  /** Of usage of one request, and of a refund; null of many requests, and of what is of none. */
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
  refunded_request: column.text.nullable(),
  numbers: column.int,
  occurred_at: column.timestamp,
  booked_at: column.timestamp,
  posted_at: column.timestamp,
  actor: column.text.nullable(),
  reason: column.text.nullable(),
});
type TransactionRow = z.infer<typeof transactionRow>;

/** Where rows are read from: a transaction, or outside of any. */
export type Reader = Pick<EntityManager, 'query'>;

type Named =
  | { readonly number: number }
  | { readonly requestId: string }
  | { readonly idempotencyKey: string };

/** A transaction by one of its numbers, by its own request or by its idempotency key; undefined when there is none. */
export async function readTransaction(reader: Reader, by: Named): Promise<BookedTransaction | undefined> {
  const [condition, value] = conditionOf(by);
  const rows = await readRows(
    reader,
    transactionRow,
    `SELECT * FROM billing.ledger_transaction WHERE ${condition}`,
    [value],
  );
  return (await withEntries(reader, rows))[0];
}

function conditionOf(by: Named): [condition: string, value: unknown] {
  if ('requestId' in by) return ['request_id = $1', by.requestId];
  if ('idempotencyKey' in by) return ['idempotency_key = $1', by.idempotencyKey];
  const next = '(SELECT min(number) FROM billing.ledger_transaction WHERE number >= $1)';
  return [`number = ${next} AND number - numbers < $1`, by.number];
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
  const requests = await readOnlyRequests(reader, rows);
  return rows.map((row) => ({
    number: Number(row.number),
    firstNumber: Number(row.number) - row.numbers + 1,
    kind: row.kind,
    accountId: row.account_id,
    requestId: row.request_id ?? row.refunded_request ?? requests.get(row.number) ?? null,
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

const onlyRequestRow = z.object({ number: column.bigint, request_id: column.text });

/** The requests of transactions that are of one each, by number; those that left the log with their month are not among them. */
async function readOnlyRequests(
  reader: Reader,
  rows: readonly TransactionRow[],
): Promise<ReadonlyMap<string, string>> {
  const numbers = rows
    .filter(({ kind, numbers }) => numbers === 1 && (kind === 'usage' || kind === 'lost_attempt'))
    .map(({ number }) => number);
  if (numbers.length === 0) return new Map();
  const found = await readRows(
    reader,
    onlyRequestRow,
    `SELECT number, request_id FROM billing.usage WHERE number = ANY($1)
     UNION ALL SELECT number, request_id FROM billing.lost_attempt WHERE number = ANY($1)`,
    [numbers],
  );
  return new Map(found.map(({ number, request_id }) => [number, request_id]));
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
