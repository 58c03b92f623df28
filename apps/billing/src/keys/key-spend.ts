import { BUDGET_WINDOWS, type BudgetWindow } from '@tollgate/contracts';
import { column, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import type { ApiKeyEntity } from './api-key.entity.ts';

/** Pico-USD that a key has spent in the window that is running, by its account's calendar. */
export type KeySpend = Readonly<Record<BudgetWindow, bigint>>;

const RUNNING = `
  SELECT s.key_id, s.span, s.spent_pico::text AS spent
  FROM billing.api_key k
  JOIN billing.account a ON a.id = k.account_id
  JOIN billing.key_spend s ON s.key_id = k.id
    AND s.starts_on = date_trunc(s.span, now() AT TIME ZONE a.time_zone)::date
  WHERE k.id = ANY($1)`;

const spendRow = z.object({ key_id: column.uuid, span: z.enum(['day', 'month']), spent: column.bigint });

/** What each of these keys has spent, by its id. */
export async function readSpend(
  database: DataSource,
  keys: readonly ApiKeyEntity[],
): Promise<Map<string, KeySpend>> {
  const rows =
    keys.length === 0 ? [] : await readRows(database, spendRow, RUNNING, [keys.map(({ id }) => id)]);
  const running = new Map(rows.map(({ key_id, span, spent }) => [`${key_id} ${span}`, BigInt(spent)]));
  return new Map(
    keys.map(({ id, spentPico }) => [
      id,
      {
        total: BigInt(spentPico),
        daily: running.get(`${id} day`) ?? 0n,
        monthly: running.get(`${id} month`) ?? 0n,
      },
    ]),
  );
}

const BUDGET_FIELDS = { total: 'total_usd', daily: 'daily_usd', monthly: 'monthly_usd' } as const;

/** The windows that a body of the API states a budget for. */
export const explicitBudgets = (
  budgets: Partial<Record<(typeof BUDGET_FIELDS)[BudgetWindow], string | null | undefined>>,
): [BudgetWindow, string | null][] =>
  BUDGET_WINDOWS.flatMap((window) => {
    const explicit = budgets[BUDGET_FIELDS[window]];
    return explicit === undefined ? [] : [[window, explicit]];
  });
