import { column, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { toFoundCondition } from '../accounts/found-accounts.ts';
import { findByText } from '../keys/key-text.ts';

type Runs = Pick<DataSource, 'query'>;

const MAX_FOUND = 8;

const UUID = z.guid();

const keyRow = z.object({
  id: column.uuid,
  name: column.text,
  masked: column.text,
  is_deleted: column.boolean,
  account_id: column.uuid,
  account_name: column.text,
});

/**
 * The newest keys that a text finds, those that are deleted last: of an account, or of any.
 *
 * @param ownerId finds their keys alone, and the account's own.
 */
export async function findKeys(
  database: Runs,
  find: string,
  accountId: string | undefined,
  ownerId: string | undefined,
) {
  const values: unknown[] = [accountId ?? null, ownerId ?? null];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const id = UUID.safeParse(find).data;
  const conditions =
    find === ''
      ? []
      : [
          await findByText(database, 'k', find, accountId, bind),
          ...(id === undefined ? [] : [`k.id = ${bind(id)}`]),
        ];
  return readRows(
    database,
    keyRow,
    `SELECT k.id, k.name, k.masked, k.deleted_at IS NOT NULL AS is_deleted, k.account_id, a.name AS account_name
     FROM billing.api_key k JOIN billing.account a ON a.id = k.account_id
     WHERE ($1::uuid IS NULL OR k.account_id = $1) AND ($2::uuid IS NULL OR k.owner_id IS NULL OR k.owner_id = $2)
       ${conditions.length > 0 ? `AND (${conditions.join(' OR ')})` : ''}
     ORDER BY is_deleted, k.created_at DESC, k.id DESC LIMIT ${accountId === undefined ? MAX_FOUND : 2 * MAX_FOUND}`,
    values,
  );
}

const accountRow = z.object({ id: column.uuid, name: column.text });

export const findAccounts = (database: Runs, find: string) =>
  readRows(
    database,
    accountRow,
    `SELECT account.id, account.name FROM billing.account WHERE ${toFoundCondition('$1')}
     ORDER BY account.id DESC LIMIT ${MAX_FOUND}`,
    [find],
  );

const personRow = z.object({
  email: column.text,
  name: column.text,
  account_id: column.uuid,
  account_name: column.text,
});

export async function findPeople(database: Runs, find: string) {
  const rows = await readRows(
    database,
    personRow,
    `SELECT p.email, p.name, p.account_id, a.name AS account_name
     FROM billing.app_user p JOIN billing.account a ON a.id = p.account_id
     WHERE position(lower($1) IN lower(p.email)) > 0 OR position(lower($1) IN lower(p.name)) > 0
     ORDER BY p.email LIMIT ${MAX_FOUND}`,
    [find],
  );
  return rows.map((row) => ({ ...row, name: row.name === '' ? null : row.name }));
}
