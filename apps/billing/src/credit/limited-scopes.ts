import {
  accountScope,
  BUDGET_WINDOWS,
  type CreditScope,
  keyScope,
  type UsageEvent,
} from '@tollgate/contracts';
import { column, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';

type Spent = Pick<UsageEvent, 'account_id' | 'key_id' | 'occurred_at'>;

const limitedKeyRow = z.object({
  account_id: column.uuid,
  key_id: column.uuid,
  day: column.text,
  account_limited: column.boolean,
  total: column.boolean,
  daily: column.boolean,
  monthly: column.boolean,
});
type Row = z.infer<typeof limitedKeyRow>;

const LIMITED = `
  SELECT DISTINCT a.id AS account_id, used.key_id,
    to_char(used.occurred_at AT TIME ZONE a.time_zone, 'YYYY-MM-DD') AS day,
    a.mode = 'prepaid' OR a.credit_limit_pico IS NOT NULL AS account_limited,
    k.budget_pico IS NOT NULL AS total,
    k.budget_daily_pico IS NOT NULL AS daily,
    k.budget_monthly_pico IS NOT NULL AS monthly
  FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS used (account_id, key_id, occurred_at)
  JOIN billing.account a ON a.id = used.account_id
  LEFT JOIN billing.api_key k ON k.id = used.key_id
  WHERE a.mode = 'prepaid' OR a.credit_limit_pico IS NOT NULL
    OR coalesce(k.budget_pico, k.budget_daily_pico, k.budget_monthly_pico) IS NOT NULL`;

/** The scopes that usage was spent from, of those that are limited. */
export async function limitedScopes(database: DataSource, usage: readonly Spent[]): Promise<CreditScope[]> {
  if (usage.length === 0) return [];
  const spent = [...new Map(usage.map((each) => [nameOf(each), each])).values()];
  const rows = await readRows(database, limitedKeyRow, LIMITED, [
    spent.map(({ account_id }) => account_id),
    spent.map(({ key_id }) => key_id),
    spent.map(({ occurred_at }) => occurred_at),
  ]);
  return [...new Set(rows.flatMap(scopesOf))];
}

/** Days of every time zone begin on one: a key is asked about once for each, and not once for each of its requests. */
const QUARTER_MS = 15 * 60_000;
const nameOf = ({ account_id, key_id, occurred_at }: Spent): string =>
  `${account_id} ${key_id} ${Math.floor(Date.parse(occurred_at) / QUARTER_MS)}`;

const scopesOf = (row: Row): CreditScope[] => [
  ...(row.account_limited ? [accountScope(row.account_id)] : []),
  ...BUDGET_WINDOWS.flatMap((window) => (row[window] ? [keyScope(row.key_id, window, row.day)] : [])),
];

const accountKeyRow = z.object({ id: column.uuid, day: column.text });

/** Every scope of keys that is spent from now, limited or not. */
export async function scopesOfKeys(database: DataSource, keyIds: readonly string[]): Promise<CreditScope[]> {
  if (keyIds.length === 0) return [];
  const rows = await readRows(
    database,
    accountKeyRow,
    `SELECT k.id, to_char(now() AT TIME ZONE a.time_zone, 'YYYY-MM-DD') AS day
     FROM billing.api_key k JOIN billing.account a ON a.id = k.account_id WHERE k.id = ANY($1)`,
    [keyIds],
  );
  return rows.flatMap(({ id, day }) => BUDGET_WINDOWS.map((window) => keyScope(id, window, day)));
}
