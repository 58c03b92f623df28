import { column, readRow, readRows, requireRow } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { periodPlaceSchema, READ_AT_ONCE } from './read-period.ts';
import { type ChainReport, verifyChain } from './verify-chain.ts';

/** Class of the locks of verifications: each is run by one process at a time. */
const LOCK = 7_302_013;

/** A verification was told to stop. Whoever is next goes on where it is. */
class Stopped extends Error {
  override readonly name = 'Stopped';
}

const mineRow = z.object({ mine: column.boolean });
const runRow = z.object({
  account_id: column.uuid.nullable(),
  from_start: column.boolean,
  checked: column.bigint,
  place: z
    .object({
      account_id: z.string(),
      month: z.string(),
      place: periodPlaceSchema,
      /** Numbers of what was read before this month. */
      before: z.int(),
    })
    .nullable(),
});
type OpenVerification = z.infer<typeof runRow>;

interface RunOptions {
  readonly signal?: AbortSignal;
  readonly every?: number;
}

/**
 * Runs a verification from where it is to its end. Where it is stands in the database, as of every quarter of a million numbers and
 * of every account, so that whoever goes on after a process was killed begins there.
 *
 * @returns false where it was told to stop, or another process is at it.
 */
export async function runVerification(
  database: DataSource,
  id: string,
  { signal, every = READ_AT_ONCE }: RunOptions = {},
): Promise<boolean> {
  try {
    return await database.transaction(async (manager) => {
      const { mine } = await requireRow(
        manager,
        mineRow,
        'SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS mine',
        [LOCK, id],
      );
      if (!mine) return false;
      // Whoever waits for a lock is idle in a transaction for as long as what it guards takes.
      await manager.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      const run = await readRow(
        database,
        runRow,
        `SELECT account_id, from_start, checked, place FROM billing.verification WHERE id = $1 AND ended_at IS NULL`,
        [id],
      );
      if (run) await runAccounts(database, id, run, every, signal);
      return true;
    });
  } catch (error) {
    if (error instanceof Stopped) return false;
    throw error;
  }
}

const accountRow = z.object({ id: column.uuid });
const ACCOUNTS_AT_ONCE = 1_000;
const SAVE_MS = 1_000;

/** Accounts have their turn by id: the last one that has an item is the last one that was read. */
async function runAccounts(
  database: DataSource,
  id: string,
  run: OpenVerification,
  every: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { place } = run;
  let checked = place?.before ?? Number(run.checked);
  const saved = { checked, at: performance.now() };
  let accounts: z.infer<typeof accountRow>[];
  do {
    accounts = await readRows(
      database,
      accountRow,
      `SELECT id FROM billing.account WHERE ($2::uuid IS NULL OR id = $2) AND id > coalesce(
         (SELECT account_id FROM billing.verification_item WHERE verification_id = $1 ORDER BY account_id DESC LIMIT 1),
         '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT ${ACCOUNTS_AT_ONCE}`,
      [id, run.account_id],
    );
    for (const account of accounts) {
      const known = run.from_start ? null : await readKnown(database, account.id);
      const before = checked;
      const report = await verifyChain(database, account.id, {
        every,
        begun: place?.account_id === account.id ? place : null,
        isKnown: ({ month, hash }) => known?.get(month) === hash,
        async reached(month, next, read) {
          const isFar = before + read - saved.checked >= every || performance.now() - saved.at >= SAVE_MS;
          // Of a hundred thousand small months not each is worth a commit.
          if (!isFar && !signal?.aborted) return;
          Object.assign(saved, { checked: before + read, at: performance.now() });
          await savePlace(database, id, before + read, {
            account_id: account.id,
            month,
            place: next,
            before,
          });
          if (signal?.aborted) throw new Stopped();
        },
      });
      checked += report.checked;
      await saveItem(database, id, report, checked);
      if (signal?.aborted) throw new Stopped();
    }
  } while (accounts.length === ACCOUNTS_AT_ONCE);
  await database.query(
    'UPDATE billing.verification SET ended_at = now(), place = NULL, checked = total WHERE id = $1',
    [id],
  );
}

async function savePlace(
  database: DataSource,
  id: string,
  checked: number,
  place: OpenVerification['place'],
): Promise<void> {
  await database.query('UPDATE billing.verification SET place = $2, checked = $3 WHERE id = $1', [
    id,
    JSON.stringify(place),
    checked,
  ]);
}

/** In one statement: whoever goes on finds all of it or nothing. */
async function saveItem(
  database: DataSource,
  id: string,
  { account_id, periods, known, right, last_hash, first_difference }: ChainReport,
  checked: number,
): Promise<void> {
  await database.query(
    `WITH item AS (
       INSERT INTO billing.verification_item (verification_id, account_id, periods, known, last_hash, first_difference)
       VALUES ($1, $2, $3, $4, $5, $6)),
     verified AS (
       INSERT INTO billing.verified_period AS v (account_id, month, hash)
       SELECT $2::uuid, (month || '-01')::date, hash FROM unnest($7::text[], $8::text[]) AS found (month, hash)
       ON CONFLICT (account_id, month) DO UPDATE SET hash = excluded.hash, verified_at = excluded.verified_at
       WHERE v.hash <> excluded.hash),
     doubtful AS (
       DELETE FROM billing.verified_period WHERE account_id = $2 AND to_char(month, 'YYYY-MM') <> ALL ($7::text[]))
     UPDATE billing.verification SET place = NULL, checked = $9 WHERE id = $1`,
    [
      id,
      account_id,
      periods,
      known,
      last_hash,
      first_difference && JSON.stringify(first_difference),
      right.map(({ month }) => month),
      right.map(({ hash }) => hash),
      checked,
    ],
  );
}

const knownRow = z.object({ month: column.text, hash: column.text });

/** The hashes under which months of an account were found right. */
async function readKnown(runs: DataSource, accountId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await readRows(
    runs,
    knownRow,
    `SELECT to_char(month, 'YYYY-MM') AS month, hash FROM billing.verified_period WHERE account_id = $1`,
    [accountId],
  );
  return new Map(rows.map(({ month, hash }) => [month, hash]));
}
