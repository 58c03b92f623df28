import { column, readRows, requireRow } from '@tollgate/platform';
import type { TransactionKind } from '@tollgate/vocabulary';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { type Columns, copyRows } from '../database/copy-rows.ts';
import { customer } from './ledger-accounts.ts';

export interface LedgerEntry {
  /** One of ledger-accounts.ts. */
  readonly ledgerAccount: string;
  /** Pico-USD. The entries of a transaction sum to zero. */
  readonly amountPico: bigint;
}

/** What is to be written. What people do has who, why, and a key that makes it happen once. */
export interface NewTransaction {
  readonly kind: TransactionKind;
  readonly accountId: string;
  /** ISO 8601 with milliseconds, in UTC. */
  readonly occurredAt: string;
  readonly entries: readonly LedgerEntry[];
  readonly idempotencyKey?: string;
  /** Of what was asked with the idempotency key. */
  readonly askedDigest?: string;
  readonly actor?: string;
  readonly reason?: string;
  readonly corrects?: number;
  /** The request that a refund is of: the transaction that it corrects may be of many. */
  readonly refundedRequest?: string;
  /** Of a batch: SHA-256 over the rows that it is of, in hexadecimal. */
  readonly digest?: string;
}

/** A transaction with its place in the books. */
export interface Posted<T extends NewTransaction = NewTransaction> {
  readonly transaction: T;
  /** The last of the numbers that it takes. */
  readonly number: number;
  /** How many it takes; one without it. */
  readonly numbers?: number;
  /** ISO 8601: when it occurred, or the beginning of the open period if that is later. */
  readonly bookedAt: string;
}

/** What transactions begin in: the database, or a transaction of it. */
export interface Transactions {
  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T>;
}

/** The journal while it is held: nobody else appends until the database transaction ends. */
export interface Journal {
  readonly manager: EntityManager;
  /** When it was taken, by PostgreSQL's clock: ISO 8601, in UTC. What people do occurs then, whatever the clock of a billing says. */
  readonly takenAt: string;
  /** Numbers transactions, writes them and brings the customers' balances up to date. */
  append<T extends NewTransaction>(transactions: readonly T[]): Promise<Posted<T>[]>;
}

const journalRow = z.object({ last_number: column.bigint, taken_at: column.timestamp });

/** Waits until nobody posts, and keeps it so until the manager's transaction ends. Answers the last number, and when that was. */
export async function holdJournal(
  manager: Pick<EntityManager, 'query'>,
): Promise<{ readonly last: number; readonly takenAt: string }> {
  const row = await requireRow(
    manager,
    journalRow,
    'SELECT last_number, clock_timestamp() AS taken_at FROM billing.hold_journal() AS last_number',
  );
  return { last: Number(row.last_number), takenAt: row.taken_at.toISOString() };
}

/**
 * Runs `work` in one database transaction that holds the journal: the books are as `work` sees them until its commit. Numbers
 * have no gaps, and everything up to a number is there once that number is.
 */
export const withJournal = <T>(database: Transactions, work: (journal: Journal) => Promise<T>): Promise<T> =>
  database.transaction(async (manager) => {
    const { takenAt, ...held } = await holdJournal(manager);
    let { last } = held;
    return work({
      manager,
      takenAt,
      async append(transactions) {
        if (transactions.length === 0) return [];
        const closed = await closedUntil(manager, transactions);
        const posted = transactions.map((transaction, index) => ({
          transaction,
          number: last + 1 + index,
          bookedAt: later(transaction.occurredAt, closed.get(transaction.accountId)),
        }));
        last += posted.length;
        await copyLedger(manager, posted);
        await updateBalances(manager, posted);
        await manager.query('UPDATE billing.journal SET last_number = $1', [last]);
        return posted;
      },
    });
  });

/** Writes transactions with their entries. */
export async function copyLedger(manager: EntityManager, posted: readonly Posted[]): Promise<void> {
  await copyRows(manager, 'billing.ledger_transaction', TRANSACTION_COLUMNS, posted);
  const entries = posted.flatMap(({ number, transaction }) =>
    transaction.entries.map((entry) => ({ number, ...entry })),
  );
  await copyRows(manager, 'billing.ledger_entry', ENTRY_COLUMNS, entries);
}

const TRANSACTION_COLUMNS: Columns<Posted> = [
  ['number', ({ number }) => number],
  ['numbers', ({ numbers }) => numbers ?? 1],
  ['kind', ({ transaction }) => transaction.kind],
  ['account_id', ({ transaction }) => transaction.accountId],
  ['idempotency_key', ({ transaction }) => transaction.idempotencyKey ?? null],
  ['asked_digest', ({ transaction }) => transaction.askedDigest ?? null],
  ['occurred_at', ({ transaction }) => transaction.occurredAt],
  ['booked_at', ({ bookedAt }) => bookedAt],
  ['actor', ({ transaction }) => transaction.actor ?? null],
  ['reason', ({ transaction }) => transaction.reason ?? null],
  ['corrects', ({ transaction }) => transaction.corrects ?? null],
  ['refunded_request', ({ transaction }) => transaction.refundedRequest ?? null],
  ['digest', ({ transaction: { digest } }) => (digest === undefined ? null : `\\x${digest}`)],
];

const ENTRY_COLUMNS: Columns<LedgerEntry & { readonly number: number }> = [
  ['number', ({ number }) => number],
  ['ledger_account', ({ ledgerAccount }) => ledgerAccount],
  ['amount_pico', ({ amountPico }) => amountPico],
];

const closedUntilRow = z.object({ id: column.uuid, closed_until: column.timestamp });

/** Until when the books of accounts are closed. */
export async function closedUntil(
  manager: EntityManager,
  transactions: readonly Pick<NewTransaction, 'accountId'>[],
): Promise<Map<string, string>> {
  const rows = await readRows(
    manager,
    closedUntilRow,
    'SELECT id, closed_until FROM billing.account WHERE closed_until IS NOT NULL AND id = ANY($1)',
    [[...new Set(transactions.map(({ accountId }) => accountId))]],
  );
  return new Map(rows.map(({ id, closed_until }) => [id, closed_until.toISOString()]));
}

export const later = (occurredAt: string, closed: string | undefined): string =>
  closed !== undefined && Date.parse(closed) > Date.parse(occurredAt) ? closed : occurredAt;

async function updateBalances(manager: EntityManager, posted: readonly Posted[]): Promise<void> {
  const sums = new Map<string, { sum: bigint; number: number }>();
  for (const { transaction, number } of posted) {
    const { accountId } = transaction;
    for (const { ledgerAccount, amountPico } of transaction.entries) {
      if (ledgerAccount !== customer(accountId)) continue;
      sums.set(accountId, { sum: (sums.get(accountId)?.sum ?? 0n) + amountPico, number });
    }
  }
  const rows = [...sums];
  if (rows.length === 0) return;
  await manager.query(
    `INSERT INTO billing.account_balance AS b (account_id, balance_pico, last_number)
     SELECT * FROM unnest($1::uuid[], $2::numeric[], $3::bigint[])
     ON CONFLICT (account_id) DO UPDATE SET
       balance_pico = b.balance_pico + excluded.balance_pico, last_number = excluded.last_number`,
    [
      rows.map(([accountId]) => accountId),
      rows.map(([, { sum }]) => sum.toString()),
      rows.map(([, { number }]) => number),
    ],
  );
}
