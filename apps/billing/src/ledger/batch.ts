import { column, requireRow } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { closedUntil, copyLedger, type Transactions } from './journal.ts';
import { type BookedEvent, type LedgerEvent, sumEvents } from './sum-events.ts';

/** A batch of events while it is written. */
interface Batch {
  readonly manager: EntityManager;
  /** Nobody else posts meanwhile: so it is where something was in the way of a first try. */
  readonly isAlone: boolean;
  /** Writes the transactions of events and `details`, what stands beside them, waits for the batch before, and adds all sums. Comes last. */
  append<E extends LedgerEvent>(
    events: readonly E[],
    details: (booked: readonly BookedEvent<E>[]) => Promise<void>,
  ): Promise<BookedEvent<E>[]>;
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
 *
 * @param alone nobody else posts meanwhile, at the first try as well.
 */
export async function withBatch<T>(
  database: Transactions,
  work: (batch: Batch) => Promise<T>,
  { alone = false } = {},
): Promise<T> {
  try {
    return await runBatch(database, alone, work);
  } catch (error) {
    if (alone || !isInTheWay(error)) throw error;
    return runBatch(database, true, work);
  }
}

const lastRow = z.object({ last: column.bigint.nullable() });
const firstRow = z.object({ first: column.bigint.nullable() });
const bookedRow = z.object({ is_booked: column.boolean });

const runBatch = <T>(
  database: Transactions,
  alone: boolean,
  work: (batch: Batch) => Promise<T>,
): Promise<T> =>
  database.transaction(async (manager) => {
    const { last } = await requireRow(manager, lastRow, 'SELECT billing.begin_batch($1) AS last', [alone]);
    return work({
      manager,
      isAlone: alone,
      async append(events, details) {
        if (events.length === 0) return [];
        const count = events.length;
        const first = last === null ? await takeNumbers(manager, count) : Number(last) + 1;
        const { booked, transactions } = sumEvents(events, await closedUntil(manager, events), first);
        await copyLedger(manager, transactions);
        await details(booked);
        const { is_booked: isBooked } = await requireRow(
          manager,
          bookedRow,
          'SELECT billing.book_batch($1, $2) AS is_booked',
          [first, first + count - 1],
        );
        if (!isBooked) throw new OutOfTurn();
        return booked;
      },
    });
  });

/** The first of so many numbers. @throws OutOfTurn where it is not known which these are. */
async function takeNumbers(manager: EntityManager, count: number): Promise<number> {
  const { first } = await requireRow(manager, firstRow, 'SELECT billing.take_numbers($1) AS first', [count]);
  if (first === null) throw new OutOfTurn();
  return Number(first);
}
