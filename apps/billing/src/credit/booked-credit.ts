import { type CreditScope, parseCreditScope, type ParsedCreditScope } from '@tollgate/contracts';
import type { BookedCredit } from '@tollgate/limits';
import { PICO_PER_MICRO_USD } from '@tollgate/money';
import { column, hasRows, readRow, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';

/** More than can be spent, and exact in a double: what is left in a scope that nothing limits (any more). */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

type KeyScope = Extract<ParsedCreditScope, { kind: 'key' }>;

const creditVersionRow = z.object({ version: column.bigint });

/**
 * What the books say is left in scopes. The version is taken before the reading: whoever read later has a higher one
 * and has seen at least as much, of postings as of changed limits, so the highest may always stand.
 */
export async function readBookedCredit(
  database: DataSource,
  scopes: readonly CreditScope[],
): Promise<BookedCredit> {
  const parsed = scopes.flatMap((scope): [CreditScope, ParsedCreditScope][] => {
    const each = parseCreditScope(scope);
    return each ? [[scope, each]] : [];
  });
  const accounts = parsed.flatMap(([scope, each]) => (each.kind === 'account' ? [{ scope, ...each }] : []));
  const keys = parsed.flatMap(([scope, each]) => (each.kind === 'key' ? [{ scope, ...each }] : []));
  const row = await readRow(
    database,
    creditVersionRow,
    `SELECT nextval('billing.credit_version') AS version`,
  );
  const rows = [...(await leftOfAccounts(database, accounts)), ...(await leftOfKeys(database, keys))];
  return {
    version: Number(row?.version),
    left: new Map(
      rows.map(({ scope, left }) => [scope, left === null ? UNLIMITED : microDown(BigInt(left))]),
    ),
  };
}

/**
 * Brings the versions of this database up to one that Redis knows, where they are not: the next one is above it. What was written by versions that
 * are lost would else stand against every later word of the books, and be spent again and again.
 *
 * @returns whether they were behind.
 */
export const catchUpWith = (database: DataSource, version: number): Promise<boolean> =>
  hasRows(
    database,
    `SELECT setval('billing.credit_version', $1::bigint) FROM billing.credit_version WHERE last_value < $1::bigint`,
    [version],
  );

const leftRow = z.object({
  /** As it was asked for. */
  scope: z.custom<CreditScope>((scope) => typeof scope === 'string'),
  /** Pico-USD; null is no limit. */
  left: column.bigint.nullable(),
});
type LeftRow = z.infer<typeof leftRow>;

/** An account that is not there has nothing. */
const ACCOUNTS = `
  SELECT asked.scope, CASE
      WHEN a.mode = 'postpaid' AND a.credit_limit_pico IS NULL THEN NULL
      ELSE coalesce(b.balance_pico, 0) + coalesce(a.credit_limit_pico, 0)
    END::text AS left
  FROM unnest($1::text[], $2::uuid[]) AS asked (scope, account_id)
  LEFT JOIN billing.account a ON a.id = asked.account_id
  LEFT JOIN billing.account_balance b ON b.account_id = a.id`;

const leftOfAccounts = async (
  database: DataSource,
  accounts: readonly { scope: CreditScope; accountId: string }[],
): Promise<LeftRow[]> =>
  accounts.length === 0
    ? []
    : readRows(database, leftRow, ACCOUNTS, [
        accounts.map(({ scope }) => scope),
        accounts.map(({ accountId }) => accountId),
      ]);

const KEYS = `
  SELECT asked.scope, (CASE asked.time_window
      WHEN 'total' THEN k.budget_pico - k.spent_pico
      WHEN 'daily' THEN k.budget_daily_pico - coalesce(s.spent_pico, 0)
      ELSE k.budget_monthly_pico - coalesce(s.spent_pico, 0)
    END)::text AS left
  FROM unnest($1::text[], $2::uuid[], $3::text[], $4::date[]) AS asked (scope, key_id, time_window, starts_on)
  LEFT JOIN billing.api_key k ON k.id = asked.key_id
  LEFT JOIN billing.key_spend s ON s.key_id = asked.key_id AND s.starts_on = asked.starts_on
    AND s.span = CASE asked.time_window WHEN 'daily' THEN 'day' ELSE 'month' END`;

const leftOfKeys = async (
  database: DataSource,
  keys: readonly ({ scope: CreditScope } & KeyScope)[],
): Promise<LeftRow[]> =>
  keys.length === 0
    ? []
    : readRows(database, leftRow, KEYS, [
        keys.map(({ scope }) => scope),
        keys.map(({ keyId }) => keyId),
        keys.map(({ window }) => window),
        keys.map(({ startsOn }) => startsOn),
      ]);

/** Rounded down, below zero too. */
function microDown(pico: bigint): number {
  const down = pico / PICO_PER_MICRO_USD - (pico < 0n && pico % PICO_PER_MICRO_USD !== 0n ? 1n : 0n);
  return Math.max(-UNLIMITED, Math.min(UNLIMITED, Number(down)));
}
