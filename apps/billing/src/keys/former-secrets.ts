import { column, hasRows, httpError, readRows } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';

/** A secret that a key was rotated from and that works still. */
export interface FormerSecret {
  readonly keyHash: string;
  readonly keyId: string;
  readonly masked: string;
  readonly worksUntil: Date;
}

type Queries = Pick<DataSource | EntityManager, 'query'>;

const formerSecretRow = z.object({
  key_hash: column.text,
  key_id: column.uuid,
  masked: column.text,
  works_until: column.timestamp,
});
type Row = z.infer<typeof formerSecretRow>;

const secretOf = (row: Row): FormerSecret => ({
  keyHash: row.key_hash,
  keyId: row.key_id,
  masked: row.masked,
  worksUntil: row.works_until,
});

/** Undefined once its time is over. */
export async function findFormerSecret(
  database: Queries,
  keyHash: string,
): Promise<FormerSecret | undefined> {
  const rows = await readRows(
    database,
    formerSecretRow,
    'SELECT * FROM billing.former_secret WHERE key_hash = $1 AND works_until > now()',
    [keyHash],
  );
  return rows.map(secretOf)[0];
}

/** The secret that each of these keys was last rotated from, by the key's id, whether it works still or not. */
export async function lastSecrets(
  database: Queries,
  keyIds: readonly string[],
): Promise<Map<string, FormerSecret>> {
  if (keyIds.length === 0) return new Map();
  const rows = await readRows(
    database,
    formerSecretRow,
    `SELECT DISTINCT ON (key_id) * FROM billing.former_secret WHERE key_id = ANY($1)
     ORDER BY key_id, rotated_at DESC`,
    [keyIds],
  );
  return new Map(rows.map((row) => [row.key_id, secretOf(row)]));
}

const workingHashRow = z.object({ key_hash: column.text });

/** The hashes of all secrets of keys that work: whoever changes a key announces all of them. */
export async function workingHashes(manager: Queries, keyIds: readonly string[]): Promise<string[]> {
  const rows = await readRows(
    manager,
    workingHashRow,
    `SELECT key_hash FROM billing.api_key WHERE id = ANY($1)
     UNION SELECT key_hash FROM billing.former_secret WHERE key_id = ANY($1) AND works_until > now()`,
    [keyIds],
  );
  return rows.map(({ key_hash }) => key_hash);
}

const workingCountRow = z.object({ count: column.int });

/** How many secrets beside its own a key has that work. */
export async function countWorking(manager: Queries, keyId: string): Promise<number> {
  const rows = await readRows(
    manager,
    workingCountRow,
    'SELECT count(*)::int AS count FROM billing.former_secret WHERE key_id = $1 AND works_until > now()',
    [keyId],
  );
  return rows[0]?.count ?? 0;
}

export async function addFormerSecret(
  manager: Queries,
  secret: Omit<FormerSecret, 'worksUntil'>,
  overlapS: number,
): Promise<void> {
  await manager.query(
    `INSERT INTO billing.former_secret (key_hash, key_id, masked, works_until)
     VALUES ($1, $2, $3, now() + make_interval(secs => $4))`,
    [secret.keyHash, secret.keyId, secret.masked, overlapS],
  );
}

/** Two at once for the same key: the second waits for the first. @throws HttpException 409 */
export async function requireNewSecret(manager: EntityManager, keyHash: string): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`billing key ${keyHash}`]);
  const isHere = await hasRows(
    manager,
    `SELECT 1 FROM billing.api_key WHERE key_hash = $1
     UNION ALL SELECT 1 FROM billing.former_secret WHERE key_hash = $1`,
    [keyHash],
  );
  if (isHere) throw httpError(409, 'key: this key is here already.', 'key', 'key_known');
}
