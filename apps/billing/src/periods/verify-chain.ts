import { canonicalJson } from '@tollgate/catalogue';
import { column, readRow } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { openedWith } from './add-totals.ts';
import { type PeriodPlace, READ_AT_ONCE, readPeriod } from './read-period.ts';
import { listUnsealed } from './seal-periods.ts';
import { type ClosedPeriod, closedPeriods, periodHash, type SealedPeriod } from './sealed-period.ts';

interface Difference {
  readonly month: string;
  /** What does not agree: `hash`, `digest`, a part of the totals, … */
  readonly what: string;
  readonly stored: unknown;
  readonly computed: unknown;
}

export interface ChainReport {
  readonly account_id: string;
  readonly periods: number;
  /** The ones before the first difference, those included that were not read again. */
  readonly right: readonly Pick<SealedPeriod, 'month' | 'hash'>[];
  /** Numbers of the journal in those that were read. */
  readonly checked: number;
  /** Of those, the ones that were known to be right and not read again. */
  readonly known: number;
  /** The hash of the last period: noted elsewhere, it vouches for all periods up to it. */
  readonly last_hash: string | null;
  readonly first_difference: Difference | null;
}

/** Where a verification goes on, and who is told how far it is. */
interface ChainProgress {
  /** How many numbers are read at a time. */
  readonly every: number;
  /** Whether a month was found right before, under the hash that it has. */
  readonly isKnown: (period: SealedPeriod) => boolean;
  /** Where it was broken off: months before that one were read. */
  readonly begun: { readonly month: string; readonly place: PeriodPlace } | null;
  /** Is told where it is, and how many numbers were read. What it throws ends it. */
  readonly reached: (month: string, place: PeriodPlace, checked: number) => Promise<void>;
}

/** All at once, from the beginning. */
const WHOLE: ChainProgress = {
  every: READ_AT_ONCE,
  isKnown: () => false,
  begun: null,
  reached: () => Promise.resolve(),
};

/**
 * Works out every closed period of an account again, oldest first, from the ledger and the usage log, and compares:
 * that spans join without a gap, the digest, the totals, the chain of hashes, and that the books are closed up to the
 * end of the last one. What is read never changes, so that no snapshot of the database is held meanwhile.
 */
export async function verifyChain(
  database: DataSource,
  accountId: string,
  progress: ChainProgress = WHOLE,
): Promise<ChainReport> {
  const { periods, unsealed, end } = await readChain(database, accountId);
  const right: SealedPeriod[] = [];
  let [known, checked] = [0, 0];
  const firstOf = async (manager: EntityManager): Promise<Difference | undefined> => {
    await manager.query('SET LOCAL statement_timeout = 0');
    for (const { sealed, month } of periods) {
      // It may be closing at this moment.
      if (!sealed && (month === periods.at(-1)?.month || unsealed.has(month))) return undefined;
      if (!sealed) return { month, what: 'hash', stored: null, computed: null };
      const before = right.at(-1);
      const isKnown = progress.isKnown(sealed);
      const isRead = progress.begun !== null && month < progress.begun.month;
      const found =
        joins(sealed, before) ??
        (isKnown || isRead ? undefined : await recomputed(manager, sealed, before, progress, checked));
      known += isKnown ? 1 : 0;
      checked += isKnown ? 0 : sealed.totals.transactions;
      if (found) return { month, ...found };
      right.push(sealed);
    }
    return undefined;
  };
  const first_difference = (await database.transaction(firstOf)) ?? end ?? null;
  return {
    account_id: accountId,
    periods: periods.length,
    right: right.map(({ month, hash }) => ({ month, hash })),
    known,
    checked,
    last_hash: periods.at(-1)?.sealed?.hash ?? null,
    first_difference,
  };
}

/** The periods and what is wrong behind the last one, as of one moment: one may be closed at the next. */
const readChain = (database: DataSource, accountId: string) =>
  database.transaction('REPEATABLE READ', async (manager) => {
    const periods = await closedPeriods(manager, { accountId });
    const unsealed = new Set((await listUnsealed(manager, accountId)).map(({ month }) => month));
    return { periods, unsealed, end: await differenceOfEnd(manager, accountId, periods.at(-1)) };
  });

type Found = Omit<Difference, 'month'>;

const differs = (what: string, stored: unknown, computed: unknown): Found | undefined =>
  canonicalJson(stored) === canonicalJson(computed) ? undefined : { what, stored, computed };

function joins({ hash, ...content }: SealedPeriod, before: SealedPeriod | undefined): Found | undefined {
  return (
    differs('hash', hash, periodHash(content)) ??
    differs('previous_hash', content.previous_hash, before?.hash ?? null) ??
    (before && differs('from', content.from, before.to))
  );
}

async function recomputed(
  manager: EntityManager,
  sealed: SealedPeriod,
  before: SealedPeriod | undefined,
  { every, begun, reached }: ChainProgress,
  checkedBefore: number,
): Promise<Found | undefined> {
  const { month } = sealed;
  const span = { accountId: sealed.account_id, from: sealed.from, to: sealed.to };
  const place = begun?.month === month ? begun.place : null;
  const read = await readPeriod(manager, span, sealed.totals.transactions, place, {
    every,
    reached: (next, checked) => reached(month, next, checkedBefore + checked),
  });
  const digest = differs('digest', sealed.digest, read.digest);
  if (digest) return digest;
  const totals = openedWith(read.totals, BigInt(before?.totals.closing_balance_pico ?? '0'));
  for (const part of Object.keys(totals) as (keyof typeof totals)[]) {
    const found = differs(`totals.${part}`, sealed.totals[part], totals[part]);
    if (found) return found;
  }
  return undefined;
}

const endRow = z.object({
  closed_until: column.timestamp.nullable(),
  before: column.text.nullable(),
});

/** A period that was taken away leaves the account's books closed further than its periods reach, or not at all. */
async function differenceOfEnd(
  manager: EntityManager,
  accountId: string,
  last: ClosedPeriod | undefined,
): Promise<Difference | undefined> {
  const row = await readRow(
    manager,
    endRow,
    `SELECT closed_until, (SELECT t.number FROM billing.ledger_transaction t WHERE t.account_id = a.id
       AND t.booked_at < (SELECT min(p.starts_at) FROM billing.period p WHERE p.account_id = a.id)
       -- The order of their index: by number alone, the journal would be read through for one that is not there.
       ORDER BY t.booked_at, t.number LIMIT 1) AS before
     FROM billing.account a WHERE id = $1`,
    [accountId],
  );
  const month = last?.month ?? '';
  const found =
    differs('closed_until', row?.closed_until?.toISOString() ?? null, last?.to ?? null) ??
    differs('transaction before the first period', row?.before ?? null, null);
  return found && { month, ...found };
}
