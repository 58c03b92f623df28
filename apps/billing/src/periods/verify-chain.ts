import { canonicalJson } from '@tollgate/catalogue';
import { column, readRow } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { type ClosedPeriod, closedPeriods, periodHash, type SealedPeriod } from './sealed-period.ts';
import { computeDigest } from './digest.ts';
import { computeTotals } from './totals.ts';

interface Difference {
  readonly month: string;
  /** What does not agree: `hash`, `digest`, a part of the totals, … */
  readonly what: string;
  readonly stored: unknown;
  readonly computed: unknown;
}

interface ChainReport {
  readonly account_id: string;
  readonly periods: number;
  /** The hash of the last period: noted elsewhere, it vouches for all periods up to it. */
  readonly last_hash: string | null;
  readonly first_difference: Difference | null;
}

/**
 * Works out every closed period of an account again, oldest first, from the ledger and the usage log, and compares:
 * that spans join without a gap, the digest, the totals, the chain of hashes, and that the books are closed up to the
 * end of the last one.
 */
export const verifyChain = (database: DataSource, accountId: string): Promise<ChainReport> =>
  database.transaction('REPEATABLE READ', async (manager) => {
    await manager.query('SET LOCAL statement_timeout = 0');
    const periods = await closedPeriods(manager, { accountId });
    const last = periods.at(-1);
    return {
      account_id: accountId,
      periods: periods.length,
      last_hash: last?.sealed?.hash ?? null,
      first_difference:
        (await firstOf(periods, manager)) ?? (await differenceOfEnd(manager, accountId, last)) ?? null,
    };
  });

async function firstOf(
  periods: readonly ClosedPeriod[],
  manager: EntityManager,
): Promise<Difference | undefined> {
  let before: SealedPeriod | undefined;
  for (const { sealed, month } of periods) {
    // The last one may be closing at this moment.
    if (!sealed && month === periods.at(-1)?.month) return undefined;
    if (!sealed) return { month, what: 'hash', stored: null, computed: null };
    const found = joins(sealed, before) ?? (await recomputed(manager, sealed, before));
    if (found) return { month, ...found };
    before = sealed;
  }
  return undefined;
}

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
): Promise<Found | undefined> {
  const span = { accountId: sealed.account_id, from: sealed.from, to: sealed.to };
  const digest = differs('digest', sealed.digest, await computeDigest(manager, span));
  if (digest) return digest;
  const totals = await computeTotals(manager, span, BigInt(before?.totals.closing_balance_pico ?? '0'));
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
    `SELECT closed_until, (SELECT min(t.number) FROM billing.ledger_transaction t WHERE t.account_id = a.id
       AND t.booked_at < (SELECT min(p.starts_at) FROM billing.period p WHERE p.account_id = a.id)) AS before
     FROM billing.account a WHERE id = $1`,
    [accountId],
  );
  const month = last?.month ?? '';
  const found =
    differs('closed_until', row?.closed_until?.toISOString() ?? null, last?.to ?? null) ??
    differs('transaction before the first period', row?.before ?? null, null);
  return found && { month, ...found };
}
