import type { AnswerOf, periods } from '@tollgate/api';
import { column, readRow, readRows, requireRow } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';

type Shown = AnswerOf<typeof periods.getVerification>;

interface VerificationRequest {
  /** All accounts without it. */
  readonly accountId: string | undefined;
  /** Whether months that were found right before are read again. */
  readonly isFromStart: boolean;
  readonly startedBy: string;
}

/** Older ones are forgotten when another one begins. */
const KEPT = 20;

/** Months that were not found right under the hash that they have; all where $2. */
const TO_READ = `FROM billing.period_seal s WHERE ($1::uuid IS NULL OR s.account_id = $1) AND ($2 OR NOT EXISTS (
  SELECT FROM billing.verified_period v WHERE (v.account_id, v.month, v.hash) = (s.account_id, s.month, s.hash)))`;

const idRow = z.object({ id: column.uuid });

/** Asks for a verification of closed months; the same that somebody asked for and that has not ended is that one. */
export const beginVerification = (
  database: DataSource,
  { accountId, isFromStart, startedBy }: VerificationRequest,
): Promise<string> =>
  database.transaction(async (manager) => {
    const values = [accountId ?? null, isFromStart];
    // Two that ask at once are one.
    await manager.query(`SELECT pg_advisory_xact_lock(hashtext('billing verification'))`);
    const running = await readRow(
      manager,
      idRow,
      `SELECT id FROM billing.verification WHERE kind = 'periods' AND ended_at IS NULL
         AND account_id IS NOT DISTINCT FROM $1::uuid AND from_start = $2`,
      values,
    );
    if (running) return running.id;
    await manager.query(
      `DELETE FROM billing.verification WHERE kind = 'periods' AND ended_at IS NOT NULL AND started_at < (
         SELECT started_at FROM billing.verification WHERE kind = 'periods' ORDER BY started_at DESC OFFSET $1 LIMIT 1)`,
      [KEPT],
    );
    const { id } = await requireRow(
      manager,
      idRow,
      `INSERT INTO billing.verification (kind, account_id, from_start, started_by, total)
       SELECT 'periods', $1::uuid, $2, $3, (SELECT coalesce(sum((totals ->> 'transactions')::bigint), 0) ${TO_READ})
       RETURNING id`,
      [...values, startedBy],
    );
    return id;
  });

const verificationRow = z.object({
  id: column.uuid,
  account_id: column.uuid.nullable(),
  from_start: column.boolean,
  started_by: column.text,
  started_at: column.timestamp,
  ended_at: column.timestamp.nullable(),
  checked: column.bigint,
  total: column.bigint,
});

const VERIFICATION = `SELECT id, account_id, from_start, started_by, started_at, ended_at, checked, total
  FROM billing.verification WHERE kind = 'periods'`;

const itemRow = z.object({
  account_id: column.uuid,
  periods: column.int,
  known: column.int,
  last_hash: column.text.nullable(),
  first_difference: z
    .object({ month: z.string(), what: z.string(), stored: z.unknown(), computed: z.unknown() })
    .nullable(),
});

/** How far a verification is and what it found; undefined where there is none. */
export async function findVerification(runs: EntityManager, id: string): Promise<Shown | undefined> {
  const row = await readRow(runs, verificationRow, `${VERIFICATION} AND id = $1`, [id]);
  return row && showVerification(runs, row);
}

/** The newest first. */
export async function listVerifications(runs: EntityManager): Promise<Shown[]> {
  const rows = await readRows(runs, verificationRow, `${VERIFICATION} ORDER BY started_at DESC LIMIT 5`);
  return Promise.all(rows.map((row) => showVerification(runs, row)));
}

async function showVerification(
  runs: EntityManager,
  { started_at, ended_at, checked, total, ...row }: z.infer<typeof verificationRow>,
): Promise<Shown> {
  const items = await readRows(
    runs,
    itemRow,
    `SELECT account_id, periods, known, last_hash, first_difference FROM billing.verification_item
     WHERE verification_id = $1 ORDER BY account_id`,
    [row.id],
  );
  return {
    ...row,
    started_at: started_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
    checked: Number(checked),
    total: Number(total),
    verified: ended_at ? items.every(({ first_difference }) => first_difference === null) : null,
    items,
  };
}
