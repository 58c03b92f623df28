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

/**
 * What is to be written. Usage and lost attempts have a request id; everything else who, why, and a key that makes it happen
 * once.
 */
export interface NewTransaction {
  readonly kind: TransactionKind;
  readonly accountId: string;
  /** ISO 8601 with milliseconds, in UTC. */
  readonly occurredAt: string;
  readonly entries: readonly LedgerEntry[];
  readonly requestId?: string;
  readonly idempotencyKey?: string;
  /** Of what was asked with the idempotency key. */
  readonly askedDigest?: string;
  readonly actor?: string;
  readonly reason?: string;
  readonly corrects?: number;
}

/** A transaction with its place in the books. */
export interface Posted<T extends NewTransaction = NewTransaction> {
  readonly transaction: T;
  readonly number: number;
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
  /** Numbers transactions, writes them and brings the customers' balances up to date. */
  append<T extends NewTransaction>(transactions: readonly T[]): Promise<Posted<T>[]>;
}

const journalRow = z.object({ last_number: column.bigint });

/** Waits until nobody posts, and keeps it so until the manager's transaction ends. Answers the last number. */
export async function holdJournal(manager: Pick<EntityManager, 'query'>): Promise<number> {
  const row = await requireRow(manager, journalRow, 'SELECT billing.hold_journal() AS last_number');
  return Number(row.last_number);
}

/**
 * Runs `work` in one database transaction that holds the journal: the books are as `work` sees them until its commit. Numbers
 * have no gaps, and everything up to a number is there once that number is.
 */
export const withJournal = <T>(database: Transactions, work: (journal: Journal) => Promise<T>): Promise<T> =>
  database.transaction(async (manager) => {
    let last = await holdJournal(manager);
    return work({
      manager,
      async append(transactions) {
        if (transactions.length === 0) return [];
        const posted = await place(manager, transactions, last + 1);
        last += posted.length;
        await copyLedger(manager, posted);
        await updateBalances(manager, posted);
        await manager.query('UPDATE billing.journal SET last_number = $1', [last]);
        return posted;
      },
    });
  });

/** A batch of transactions while it is written. */
interface Batch {
  readonly manager: EntityManager;
  /** Writes transactions and `details`, what stands beside them, waits for the batch before, and adds all sums. Comes last. */
  append<T extends NewTransaction>(
    transactions: readonly T[],
    details: (posted: readonly Posted<T>[]) => Promise<void>,
  ): Promise<Posted<T>[]>;
}

/** The batch before came to nothing, or a month was closed meanwhile. */
class OutOfTurn extends Error {
  override readonly name = 'OutOfTurn';
}

/** unique_violation, deadlock_detected, lock_not_available: the same is being posted by somebody else. */
const IN_THE_WAY = new Set<unknown>(['23505', '40P01', '55P03']);

const isInTheWay = (error: unknown): boolean =>
  error instanceof OutOfTurn || (error instanceof Error && 'code' in error && IN_THE_WAY.has(error.code));

/**
 * Runs `work` in one database transaction, beside other batches: each takes its numbers when it begins and waits for the
 * one before when it ends, so that commits come in the order of numbers. When the one before comes to nothing, or two
 * batches have the same request, `work` is run again alone.
 */
export async function withBatch<T>(database: Transactions, work: (batch: Batch) => Promise<T>): Promise<T> {
  try {
    return await runBatch(database, false, work);
  } catch (error) {
    if (!isInTheWay(error)) throw error;
    return runBatch(database, true, work);
  }
}

const lastRow = z.object({ last: column.bigint.nullable() });
const firstRow = z.object({ first: column.bigint.nullable() });
const bookedRow = z.object({ is_booked: column.boolean });

const runBatch = <T>(
  database: Transactions,
  isAlone: boolean,
  work: (batch: Batch) => Promise<T>,
): Promise<T> =>
  database.transaction(async (manager) => {
    const { last } = await requireRow(manager, lastRow, 'SELECT billing.begin_batch($1) AS last', [isAlone]);
    return work({
      manager,
      async append(transactions, details) {
        if (transactions.length === 0) return [];
        const count = transactions.length;
        const first = last === null ? await takeNumbers(manager, count) : Number(last) + 1;
        const posted = await place(manager, transactions, first);
        await copyLedger(manager, posted);
        await details(posted);
        const { is_booked: isBooked } = await requireRow(
          manager,
          bookedRow,
          'SELECT billing.book_batch($1, $2) AS is_booked',
          [first, first + count - 1],
        );
        if (!isBooked) throw new OutOfTurn();
        return posted;
      },
    });
  });

/** The first of so many numbers. @throws OutOfTurn where it is not known which these are. */
async function takeNumbers(manager: EntityManager, count: number): Promise<number> {
  const { first } = await requireRow(manager, firstRow, 'SELECT billing.take_numbers($1) AS first', [count]);
  if (first === null) throw new OutOfTurn();
  return Number(first);
}

/** Transactions with their numbers and the moments they count at. */
async function place<T extends NewTransaction>(
  manager: EntityManager,
  transactions: readonly T[],
  first: number,
): Promise<Posted<T>[]> {
  const closed = await closedUntil(manager, transactions);
  return transactions.map((transaction, index) => ({
    transaction,
    number: first + index,
    bookedAt: later(transaction.occurredAt, closed.get(transaction.accountId)),
  }));
}

async function copyLedger(manager: EntityManager, posted: readonly Posted[]): Promise<void> {
  await copyRows(manager, 'billing.ledger_transaction', TRANSACTION_COLUMNS, posted);
  const entries = posted.flatMap(({ number, transaction }) =>
    transaction.entries.map((entry) => ({ number, ...entry })),
  );
  await copyRows(manager, 'billing.ledger_entry', ENTRY_COLUMNS, entries);
}

const TRANSACTION_COLUMNS: Columns<Posted> = [
  ['number', ({ number }) => number],
  ['kind', ({ transaction }) => transaction.kind],
  ['account_id', ({ transaction }) => transaction.accountId],
  ['request_id', ({ transaction }) => transaction.requestId ?? null],
  ['idempotency_key', ({ transaction }) => transaction.idempotencyKey ?? null],
  ['asked_digest', ({ transaction }) => transaction.askedDigest ?? null],
  ['occurred_at', ({ transaction }) => transaction.occurredAt],
  ['booked_at', ({ bookedAt }) => bookedAt],
  ['actor', ({ transaction }) => transaction.actor ?? null],
  ['reason', ({ transaction }) => transaction.reason ?? null],
  ['corrects', ({ transaction }) => transaction.corrects ?? null],
];

const ENTRY_COLUMNS: Columns<LedgerEntry & { readonly number: number }> = [
  ['number', ({ number }) => number],
  ['ledger_account', ({ ledgerAccount }) => ledgerAccount],
  ['amount_pico', ({ amountPico }) => amountPico],
];

const closedUntilRow = z.object({ id: column.uuid, closed_until: column.timestamp });

async function closedUntil(
  manager: EntityManager,
  transactions: readonly NewTransaction[],
): Promise<Map<string, string>> {
  const rows = await readRows(
    manager,
    closedUntilRow,
    'SELECT id, closed_until FROM billing.account WHERE closed_until IS NOT NULL AND id = ANY($1)',
    [[...new Set(transactions.map(({ accountId }) => accountId))]],
  );
  return new Map(rows.map(({ id, closed_until }) => [id, closed_until.toISOString()]));
}

const later = (occurredAt: string, closed: string | undefined): string =>
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
