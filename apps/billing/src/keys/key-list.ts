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
/** The same with what stands in the indices of orders. */
const PLACES = `FROM billing.key_order placed JOIN ${FROM} ON key.id = placed.key_id
  WHERE ${WHERE} AND placed.account_id = $1`;
const FIXED = `FROM billing.key_place placed JOIN ${FROM} ON key.id = placed.key_id
  WHERE ${WHERE} AND placed.account_id = $1`;

/** The newest of those that are equal come first; groups hold so many that their index is read the other way round. */
const findTie = (sort: string, key = 'key.id'): string => (sort === '-group' ? `${key} ASC` : `${key} DESC`);

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
    readPage(database, sort, [...whose, limit, offset]),
    count === 'true' ? readRow(database, countRow, `SELECT count(*)::int AS total ${KEYS}`, whose) : null,
  ]);
  return { ids: rows.map(({ id }) => id), total: counted?.total ?? null };
}

type PageValues = readonly [accountId: string, ownerId: string | null, limit: number, offset: number];

async function readPage(
  database: Pick<DataSource, 'query'>,
  sort: NonNullable<Query['sort']>,
  page: PageValues,
): Promise<{ id: string }[]> {
  const [, , limit, offset] = page;
  if ((sort === 'owner' || sort === '-owner') && offset <= MAX_BEFORE) {
    const owned = await readRows(database, idRow, toOwnedPage(sort === '-owner'), [...page]);
    if (owned.length === limit) return owned;
  }
  return readRows(database, idRow, toPage(sort), [...page]);
}

/** Of each owner as many are looked at as stand before the end of the page. */
const MAX_BEFORE = 200;

/** A page of keys in the order of their owners, without those of nobody, which come last: of each owner the newest are enough. */
const toOwnedPage = (isDescending: boolean) => `
  SELECT newest.id FROM billing.app_user owner CROSS JOIN LATERAL (
    SELECT key.id FROM billing.key_place placed JOIN billing.api_key key ON key.id = placed.key_id
    WHERE ${WHERE} AND placed.account_id = $1 AND placed.owner_id = owner.id
    ORDER BY placed.key_id DESC LIMIT $3::bigint + $4::bigint) AS newest
  WHERE owner.account_id = $1
  ORDER BY ${ORDERS.owner} ${isDescending ? 'DESC' : 'ASC'}, newest.id DESC LIMIT $3 OFFSET $4`;

/**
 * What stands in an index in place of a value that changes with each booking, or beside one: keys that have the same there
 * are compared, and no others. Those that have nothing may be nearly all; they follow their ids.
 */
const PLACED = {
  spent: { from: PLACES, column: 'spent_order', nothing: '0' },
  used: { from: PLACES, column: 'used_hour', nothing: `'-infinity'` },
  expires: { from: FIXED, column: 'expires_at', nothing: `'-infinity'` },
} as const;
type Placed = keyof typeof PLACED;

const isPlaced = (name: string): name is Placed => Object.hasOwn(PLACED, name);

/** A page of keys: `$3` says how many, `$4` how many there are before them. */
function toPage(sort: NonNullable<Query['sort']>): string {
  const isDescending = sort.startsWith('-');
  const name = isDescending ? sort.slice(1) : sort;
  if (isPlaced(name)) return toPlacedPage(name, isDescending);
  const direction = isDescending ? 'DESC' : 'ASC';
  const [from, order] =
    name === 'group' ? [FIXED, `placed.group_name ${direction}`] : [KEYS, toOrder(ORDERS, sort, NULLABLE)];
  return `SELECT key.id ${from} ORDER BY ${order}, ${findTie(sort)} LIMIT $3 OFFSET $4`;
}

function toPlacedPage(name: Placed, isDescending: boolean): string {
  const { from, column: placed, nothing } = PLACED[name];
  const direction = isDescending ? 'DESC' : 'ASC';
  const part = (comparison: string, order: string) => `(
    SELECT key.id, ${ORDERS[name]} AS value ${from} AND placed.${placed} ${comparison} ${nothing}
    ORDER BY ${order} LIMIT $3::bigint + $4::bigint)`;
  return `SELECT id FROM (
    ${part('=', 'placed.key_id DESC')} UNION ALL
    ${part('>', `placed.${placed} ${direction}, ${ORDERS[name]} ${direction}, key.id DESC`)}) AS page
    ORDER BY value ${direction} NULLS LAST, id DESC LIMIT $3 OFFSET $4`;
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
       SELECT id FROM found ORDER BY ${toOrder({ sorted: 'sorted' }, isDescending ? '-sorted' : 'sorted')}, ${findTie(sort, 'id')} LIMIT $3 OFFSET $4
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
