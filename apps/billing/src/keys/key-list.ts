import type { keys, RequestOf } from '@tollgate/api';
import { column, readRow, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { readSort, toOrder } from '../database/order.ts';
import { findByText } from './key-text.ts';

type Query = RequestOf<typeof keys.listKeys>['query'];

interface KeyFilter extends Pick<Query, 'find' | 'sort' | 'limit' | 'offset' | 'count'> {
  readonly accountId: string;
  /** Only keys of this person, and the account's own. */
  readonly ownerId: string | undefined;
}

const ORDERS = {
  name: 'lower(key.name)',
  owner: `lower(coalesce(nullif(owner.name, ''), owner.email))`,
  group: 'key.group_name',
  spent: 'key.spent_pico',
  used: 'key.last_used_at',
  expires: 'key.expires_at',
  created: 'key.created_at',
} as const;
const NULLABLE = ['owner', 'used', 'expires'];

const idRow = z.object({ id: column.uuid });
const countRow = z.object({ total: column.int });
const foundRow = z.object({ ids: z.array(column.uuid), total: column.int });

/** Keys of an account, and who they belong to, whom the database leaves out where nothing asks for them. */
const FROM = 'billing.api_key key LEFT JOIN billing.app_user owner ON owner.id = key.owner_id';
const WHERE =
  'key.account_id = $1 AND key.deleted_at IS NULL AND ($2::uuid IS NULL OR key.owner_id IS NULL OR key.owner_id = $2)';
const KEYS = `FROM ${FROM} WHERE ${WHERE}`;

const PEOPLE = `SELECT id FROM billing.app_user
  WHERE position(lower($1) IN lower(name)) > 0 OR position(lower($1) IN lower(email)) > 0`;

/** Which keys of an account a page of them shows, in their order, and how many there are where they are counted. */
export async function findKeyPage(
  database: Pick<DataSource, 'query'>,
  { accountId, ownerId, find, sort = '-created', limit, offset, count }: KeyFilter,
): Promise<{ ids: string[]; total: number | null }> {
  const whose = [accountId, ownerId ?? null] as const;
  if (find) {
    const found = await findWithText(database, sort, find, [...whose, limit, offset]);
    return count === 'true' ? found : { ...found, total: null };
  }
  const [rows, counted] = await Promise.all([
    readRows(
      database,
      idRow,
      sort === 'spent' || sort === '-spent'
        ? toSpentPage(sort === '-spent', '$3', '$4')
        : `SELECT key.id ${KEYS} ORDER BY ${toOrder(ORDERS, sort, NULLABLE)}, key.id DESC LIMIT $3 OFFSET $4`,
      [...whose, limit, offset],
    ),
    count === 'true' ? readRow(database, countRow, `SELECT count(*)::int AS total ${KEYS}`, whose) : null,
  ]);
  return { ids: rows.map(({ id }) => id), total: counted?.total ?? null };
}

/**
 * A page of keys in the order of what they have spent. How many digits that has, and which come first, stands in an index
 * (`billing.spent_order`), so that only keys with the same are compared. Those that have spent nothing are in the order of
 * their ids as they are: they may be nearly all, and are not compared with each other.
 *
 * @param limit the place of how many in the statement; `offset` that of how many before them.
 */
function toSpentPage(isDescending: boolean, limit: string, offset: string): string {
  const direction = isDescending ? 'DESC' : 'ASC';
  const part = (condition: string, order: string) => `(
    SELECT key.id, key.spent_pico FROM billing.key_text placed JOIN ${FROM} ON key.id = placed.key_id
    WHERE placed.account_id = $1 AND placed.spent_order IS NOT NULL AND placed.spent_order ${condition} AND ${WHERE}
    ORDER BY ${order} LIMIT ${limit}::bigint + ${offset}::bigint)`;
  return `SELECT id FROM (
    ${part('= 0', 'placed.key_id DESC')} UNION ALL
    ${part('> 0', `placed.spent_order ${direction}, key.spent_pico ${direction}, key.id DESC`)}) AS page
    ORDER BY spent_pico ${direction}, id DESC LIMIT ${limit} OFFSET ${offset}`;
}

/** Keys that have the text, or whose owner has: looked for once, both for the page and for the count. */
async function findWithText(
  database: Pick<DataSource, 'query'>,
  sort: NonNullable<Query['sort']>,
  find: string,
  [accountId, ...others]: readonly [string, string | null, number, number],
): Promise<{ ids: string[]; total: number }> {
  const values: unknown[] = [accountId, ...others];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const [text, owners] = await Promise.all([
    findByText(database, 'key', find, accountId, bind),
    readRows(database, idRow, PEOPLE, [find]),
  ]);
  // Most texts are nobody's name, and then keys need not be looked at for their owners.
  const condition =
    owners.length === 0
      ? text
      : `(${text} OR key.owner_id = ANY(${bind(owners.map(({ id }) => id))}::uuid[]))`;
  const { of, isDescending } = readSort(ORDERS, sort);
  const found = await readRow(
    database,
    foundRow,
    `WITH found AS MATERIALIZED (SELECT key.id, ${of} AS sorted ${KEYS} AND ${condition})
     SELECT (SELECT count(*)::int FROM found) AS total, ARRAY(
       SELECT id FROM found ORDER BY ${toOrder({ sorted: 'sorted' }, isDescending ? '-sorted' : 'sorted')}, id DESC LIMIT $3 OFFSET $4
     ) AS ids`,
    values,
  );
  return found ?? { ids: [], total: 0 };
}

const ownerRow = z.object({ id: column.uuid, email: column.text, name: column.text });

/** Who keys belong to, of those who are still there. */
export async function readOwners(
  database: Pick<DataSource, 'query'>,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, { readonly email: string; readonly name: string | null }>> {
  const rows = await readRows(
    database,
    ownerRow,
    'SELECT id, email, name FROM billing.app_user WHERE id = ANY($1)',
    [[...new Set(ids)].filter((id) => id !== null)],
  );
  return new Map(rows.map(({ id, email, name }) => [id, { email, name: name || null }]));
}
