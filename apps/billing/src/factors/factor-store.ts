import { column, hasRows, readRow, readRows } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { uuidv7 } from '../accounts/uuid.ts';
import type { StoredPasskey } from './passkeys.ts';
import { hashRecoveryCode } from './recovery-codes.ts';

type Runs = Pick<DataSource | EntityManager, 'query'>;

/** Wrong codes in a row after which each further one must wait. */
const FREE_TRIES = 5;
/** It doubles with each wrong code, up to {@link MAX_WAIT_S}: some thirty tries a day are left of a million codes. */
const WAIT_S = 30;
const MAX_WAIT_S = 3_600;

const WAITS_UNTIL = `failed_at + make_interval(secs =>
  least(${WAIT_S} * power(2, least(failures - ${FREE_TRIES}, 20)), ${MAX_WAIT_S}))`;

interface TotpTry {
  readonly secret: string;
  readonly lastStep: number;
}

const waitRow = z.object({ seconds: column.int });

const triedTotpRow = z.object({ secret: column.text, last_step: column.bigint });

/**
 * Counts a try at a person's app before it is looked at, so that tries at the same time are as many as they are.
 *
 * @returns seconds to wait where there were too many, undefined where there is no app.
 */
export async function takeTotpTry(database: Runs, userId: string): Promise<TotpTry | number | undefined> {
  const rows = await readRows(
    database,
    triedTotpRow,
    `UPDATE billing.totp SET failures = failures + 1, failed_at = now()
     WHERE user_id = $1 AND (failures < ${FREE_TRIES} OR ${WAITS_UNTIL} <= now()) RETURNING secret, last_step`,
    [userId],
  );
  const taken = rows[0];
  if (taken) return { secret: taken.secret, lastStep: Number(taken.last_step) };
  const waiting = await readRow(
    database,
    waitRow,
    `SELECT greatest(1, ceil(extract(epoch FROM ${WAITS_UNTIL} - now())))::int AS seconds
     FROM billing.totp WHERE user_id = $1`,
    [userId],
  );
  return waiting?.seconds;
}

/** @returns false where somebody used this step, or a later one, meanwhile. */
export async function useTotpStep(
  database: Runs,
  userId: string,
  step: number,
  sealed: string,
): Promise<boolean> {
  return hasRows(
    database,
    `UPDATE billing.totp SET last_step = $2, secret = $3, failures = 0, failed_at = NULL, last_used_at = now()
     WHERE user_id = $1 AND last_step < $2 RETURNING user_id`,
    [userId, step, sealed],
  );
}

/** One app for each person: a new one takes the place of the one before. */
export async function putTotp(database: Runs, userId: string, sealed: string, step: number): Promise<void> {
  await database.query(
    `INSERT INTO billing.totp (user_id, secret, last_step) VALUES ($1, $2, $3)
     ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, last_step = excluded.last_step,
       failures = 0, failed_at = NULL, created_at = now(), last_used_at = NULL`,
    [userId, sealed, step],
  );
}

/** @returns whether there was one. */
export async function deleteTotp(database: Runs, userId: string): Promise<boolean> {
  return hasRows(database, 'DELETE FROM billing.totp WHERE user_id = $1 RETURNING user_id', [userId]);
}

interface PasskeyRow extends StoredPasskey {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

const passkeyRow = z.object({
  id: column.uuid,
  user_id: column.uuid,
  credential_id: column.text,
  public_key: z.instanceof(Buffer),
  counter: column.bigint,
  transports: z.array(column.text),
  name: column.text,
  created_at: column.timestamp,
  last_used_at: column.timestamp.nullable(),
});

const toPasskey = (row: z.infer<typeof passkeyRow>): PasskeyRow => ({
  id: row.id,
  userId: row.user_id,
  credentialId: row.credential_id,
  publicKey: new Uint8Array(row.public_key),
  counter: Number(row.counter),
  transports: row.transports,
  name: row.name,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

export async function listPasskeys(database: Runs, userId: string): Promise<PasskeyRow[]> {
  const rows = await readRows(
    database,
    passkeyRow,
    'SELECT * FROM billing.passkey WHERE user_id = $1 ORDER BY created_at, id',
    [userId],
  );
  return rows.map(toPasskey);
}

export async function findPasskey(database: Runs, credentialId: string): Promise<PasskeyRow | undefined> {
  const row = await readRow(database, passkeyRow, 'SELECT * FROM billing.passkey WHERE credential_id = $1', [
    credentialId,
  ]);
  return row && toPasskey(row);
}

const insertedPasskeyRow = z.object({ id: column.uuid });

/** @returns its id; undefined where it is somebody's already. */
export async function addPasskey(
  database: Runs,
  userId: string,
  name: string,
  { credentialId, publicKey, counter, transports }: StoredPasskey,
): Promise<string | undefined> {
  const row = await readRow(
    database,
    insertedPasskeyRow,
    `INSERT INTO billing.passkey (id, user_id, credential_id, public_key, counter, transports, name)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (credential_id) DO NOTHING RETURNING id`,
    [uuidv7(), userId, credentialId, Buffer.from(publicKey), counter, transports, name],
  );
  return row?.id;
}

/** @returns false where a use at the same time was counted meanwhile. */
export async function countPasskeyUse(
  database: Runs,
  { id, counter: before }: PasskeyRow,
  counter: number,
): Promise<boolean> {
  return hasRows(
    database,
    'UPDATE billing.passkey SET counter = $3, last_used_at = now() WHERE id = $1 AND counter = $2 RETURNING id',
    [id, before, counter],
  );
}

const renamedPasskeyRow = z.object({ name: column.text });

/** @returns the name that it had before; undefined where it is not theirs. */
export async function renamePasskey(
  database: Runs,
  userId: string,
  id: string,
  name: string,
): Promise<string | undefined> {
  const rows = await readRows(
    database,
    renamedPasskeyRow,
    `UPDATE billing.passkey p SET name = $3 FROM billing.passkey before
     WHERE p.id = $1 AND p.user_id = $2 AND before.id = p.id RETURNING before.name`,
    [id, userId, name],
  );
  return rows[0]?.name;
}

const deletedPasskeyRow = z.object({ name: column.text });

/** @returns its name; undefined where it is not theirs. */
export async function deletePasskey(database: Runs, userId: string, id: string): Promise<string | undefined> {
  const rows = await readRows(
    database,
    deletedPasskeyRow,
    'DELETE FROM billing.passkey WHERE id = $1 AND user_id = $2 RETURNING name',
    [id, userId],
  );
  return rows[0]?.name;
}

/** Codes of before work no more. */
export async function putRecoveryCodes(
  database: Runs,
  userId: string,
  codes: readonly string[],
): Promise<void> {
  await deleteRecoveryCodes(database, userId);
  await database.query(
    'INSERT INTO billing.recovery_code (user_id, code_hash) SELECT $1, unnest($2::text[])',
    [userId, codes.map((code) => hashRecoveryCode(userId, code))],
  );
}

/** @returns whether it was one that was not used before. */
export async function useRecoveryCode(database: Runs, userId: string, code: string): Promise<boolean> {
  return hasRows(
    database,
    `UPDATE billing.recovery_code SET used_at = now()
     WHERE user_id = $1 AND code_hash = $2 AND used_at IS NULL RETURNING user_id`,
    [userId, hashRecoveryCode(userId, code)],
  );
}

export async function deleteRecoveryCodes(database: Runs, userId: string): Promise<void> {
  await database.query('DELETE FROM billing.recovery_code WHERE user_id = $1', [userId]);
}

interface FactorSummary {
  readonly totp: { readonly createdAt: Date; readonly lastUsedAt: Date | null } | null;
  readonly passkeys: readonly PasskeyRow[];
  readonly recoveryCodesLeft: number;
}

const codeCountRow = z.object({ count: column.int });

const totpSummaryRow = z.object({
  created_at: column.timestamp,
  last_used_at: column.timestamp.nullable(),
});

export async function summarizeFactors(database: Runs, userId: string): Promise<FactorSummary> {
  // One after the other: a transaction has one connection.
  const totps = await readRows(
    database,
    totpSummaryRow,
    'SELECT created_at, last_used_at FROM billing.totp WHERE user_id = $1',
    [userId],
  );
  const passkeys = await listPasskeys(database, userId);
  const codes = await readRows(
    database,
    codeCountRow,
    'SELECT count(*)::int AS count FROM billing.recovery_code WHERE user_id = $1 AND used_at IS NULL',
    [userId],
  );
  const [totp] = totps;
  return {
    totp: totp ? { createdAt: totp.created_at, lastUsedAt: totp.last_used_at } : null,
    passkeys,
    recoveryCodesLeft: codes[0]?.count ?? 0,
  };
}
