import { column, readRow } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';

/** More keys than these are not named one by one, but looked for again in one go with all else that is asked of them. */
const MAX_NAMED = 1_000;

const foundRow = z.object({ ids: z.array(column.uuid) });

/**
 * A condition for keys whose name or masked secret has a text, of an account or of any. No index knows a part of a name, so
 * that the texts of all are looked through; where few have it, they are found before anything is read of keys.
 *
 * @param bind gives a value to the statement, and answers its place.
 */
export async function findByText(
  database: Pick<DataSource, 'query'>,
  key: string,
  find: string,
  accountId: string | undefined,
  bind: (value: unknown) => string,
): Promise<string> {
  const texts = `SELECT key_id FROM billing.key_text WHERE`;
  const found = await readRow(
    database,
    foundRow,
    `SELECT ARRAY(${texts} ($2::uuid IS NULL OR account_id = $2) AND position(lower($1) IN text) > 0
       LIMIT ${MAX_NAMED + 1}) AS ids`,
    [find, accountId ?? null],
  );
  const ids = found?.ids ?? [];
  return ids.length > MAX_NAMED
    ? `${key}.id IN (${texts} position(lower(${bind(find)}) IN text) > 0)`
    : `${key}.id = ANY(${bind(ids)}::uuid[])`;
}
