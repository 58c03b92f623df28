import { setTimeout as sleep } from 'node:timers/promises';
import { column, readRows, requireRow } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { openedWith } from './add-totals.ts';
import { periodPlaceSchema, READ_AT_ONCE, readPeriod } from './read-period.ts';
import { type ClosedPeriod, closedPeriods, periodHash, type SealedPeriod } from './sealed-period.ts';

/** Class of the locks of accounts whose months are sealed: each is read by one process at a time. */
const LOCK = 7_302_012;
const TRY_AGAIN_MS = 100;

/** Sealing was told to stop, or somebody else does it. Whoever is next goes on where it is. */
export class StillSealing extends Error {
  override readonly name = 'StillSealing';
}

interface SealOptions {
  /** Ends the work at the next place that is kept. */
  readonly signal?: AbortSignal | undefined;
  /** Whether somebody else who does it is waited for. */
  readonly isPatient?: boolean;
  readonly every?: number;
}

/**
 * Freezes the totals of closed periods that have none yet, oldest first. Answers all of the account's periods.
 *
 * @throws StillSealing
 */
export async function sealPeriods(
  database: DataSource,
  accountId: string,
  { signal, isPatient = true, every = READ_AT_ONCE }: SealOptions = {},
): Promise<SealedPeriod[]> {
  const sealed: SealedPeriod[] = [];
  for (const period of await closedPeriods(database.manager, { accountId }))
    sealed.push(
      period.sealed ??
        (await database.transaction(async (manager) => {
          await takeTurn(manager, accountId, isPatient, signal);
          return sealPeriod({ database, manager, every, signal }, period, sealed.at(-1));
        })),
    );
  return sealed;
}

const lockRow = z.object({ mine: column.boolean });

async function takeTurn(
  manager: EntityManager,
  accountId: string,
  isPatient: boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    const { mine } = await requireRow(
      manager,
      lockRow,
      'SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS mine',
      [LOCK, accountId],
    );
    if (mine) return;
    if (!isPatient || signal?.aborted) throw new StillSealing('somebody else seals it');
    await sleep(TRY_AGAIN_MS);
  }
}

interface Work {
  /** Where it is kept how far it is, whatever becomes of the transaction that reads. */
  readonly database: DataSource;
  readonly manager: EntityManager;
  readonly every: number;
  readonly signal: AbortSignal | undefined;
}

async function sealPeriod(
  { database, manager, every, signal }: Work,
  { sealed: _none, ...period }: ClosedPeriod,
  before: SealedPeriod | undefined,
): Promise<SealedPeriod> {
  const { account_id, month } = period;
  // Somebody else may have sealed it while we waited.
  const [now] = await closedPeriods(manager, { accountId: account_id, month });
  if (now?.sealed) return now.sealed;
  await manager.query('SET LOCAL statement_timeout = 0');
  const { total, place } = await beginSealing(database, account_id, month);
  const span = { accountId: account_id, from: period.from, to: period.to };
  const { digest, totals } = await readPeriod(manager, span, Number(total), place, {
    every,
    async reached(next, checked) {
      await database.query(
        `UPDATE billing.period_sealing SET place = $3, checked = $4
         WHERE account_id = $1 AND month = ($2 || '-01')::date`,
        [account_id, month, JSON.stringify(next), checked],
      );
      if (signal?.aborted) throw new StillSealing(`${month} of ${account_id} is sealed later`);
    },
  });
  const opening = BigInt(before?.totals.closing_balance_pico ?? '0');
  const content = {
    ...period,
    totals: openedWith(totals, opening),
    digest,
    previous_hash: before?.hash ?? null,
  };
  const seal = { ...content, hash: periodHash(content) };
  // A release before this one takes no turns; it has worked out the same.
  await manager.query(
    `INSERT INTO billing.period_seal (account_id, month, totals, digest, previous_hash, hash)
     VALUES ($1, ($2 || '-01')::date, $3, $4, $5, $6) ON CONFLICT (account_id, month) DO NOTHING`,
    [seal.account_id, seal.month, JSON.stringify(seal.totals), seal.digest, seal.previous_hash, seal.hash],
  );
  await manager.query(
    `DELETE FROM billing.period_sealing WHERE account_id = $1 AND month = ($2 || '-01')::date`,
    [account_id, month],
  );
  return seal;
}

const sealingRow = z.object({ total: column.bigint, place: periodPlaceSchema.nullable() });

/** Where sealing is; a month that was closed by a release before this one begins. */
async function beginSealing(database: DataSource, accountId: string, month: string) {
  await noteUnsealed(database, accountId, month);
  return requireRow(
    database,
    sealingRow,
    `SELECT total, place FROM billing.period_sealing WHERE account_id = $1 AND month = ($2 || '-01')::date`,
    [accountId, month],
  );
}

/** Notes that a month is to be sealed. How many numbers it has is what posting has counted. */
export async function noteUnsealed(
  runs: Pick<EntityManager, 'query'>,
  accountId: string,
  month: string,
): Promise<void> {
  await runs.query(
    `INSERT INTO billing.period_sealing (account_id, month, total)
     SELECT $1::uuid, first, (SELECT coalesce(sum(transactions), 0) FROM billing.ledger_month m
       WHERE m.account_id = $1::uuid AND m.month = first)
     FROM (SELECT ($2 || '-01')::date AS first) AS given
     ON CONFLICT (account_id, month) DO NOTHING`,
    [accountId, month],
  );
}

const unsealedRow = z.object({
  account_id: column.uuid,
  month: column.text,
  checked: column.bigint,
  total: column.bigint,
});

/** Months that are closed and not sealed yet, the oldest first, and how far they are. */
export async function listUnsealed(
  runs: Pick<EntityManager, 'query'>,
  accountId?: string,
): Promise<{ account_id: string; month: string; checked: number; total: number }[]> {
  const rows = await readRows(
    runs,
    unsealedRow,
    `SELECT account_id, to_char(month, 'YYYY-MM') AS month, checked, total FROM billing.period_sealing
     WHERE ($1::uuid IS NULL OR account_id = $1) AND NOT EXISTS (
       SELECT FROM billing.period_seal s WHERE (s.account_id, s.month) = (period_sealing.account_id, period_sealing.month))
     ORDER BY period_sealing.month, account_id LIMIT 1000`,
    [accountId ?? null],
  );
  return rows.map(({ checked, total, ...row }) => ({
    ...row,
    checked: Number(checked),
    total: Number(total),
  }));
}
