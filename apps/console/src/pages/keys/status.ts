import type { ApiKey } from '../../api/keys.ts';
import { percentSpent } from '../../shared/format.ts';

export type KeyStatus = 'active' | 'disabled' | 'expired' | 'spent';

const WINDOWS = [
  { window: 'total', budget: 'total_usd', spent: 'total_usd' },
  { window: 'daily', budget: 'daily_usd', spent: 'today_usd' },
  { window: 'monthly', budget: 'monthly_usd', spent: 'this_month_usd' },
] as const;

interface BudgetUse {
  readonly window: (typeof WINDOWS)[number]['window'];
  readonly budget: string;
  readonly spent: string;
  readonly percent: number;
}

/** The budgets that a key has, the fullest first. */
export const budgetsInUse = ({ budgets, spent }: Pick<ApiKey, 'budgets' | 'spent'>): readonly BudgetUse[] =>
  WINDOWS.flatMap(({ window, ...names }): BudgetUse[] => {
    const budget = budgets[names.budget];
    if (budget === null) return [];
    const used = spent[names.spent];
    return [{ window, budget, spent: used, percent: percentSpent(used, budget) }];
  }).sort((a, b) => b.percent - a.percent);

/** Whether requests with a key are let in at present, and if not, why. */
export function findKeyStatus(key: ApiKey, now = Date.now()): KeyStatus {
  if (key.status === 'disabled') return 'disabled';
  if (key.expires_at !== null && Date.parse(key.expires_at) <= now) return 'expired';
  return budgetsInUse(key).some(({ percent }) => percent >= 100) ? 'spent' : 'active';
}

/** Whether the secret that a key was rotated from works no more. */
export const isOver = ({ works_until }: NonNullable<ApiKey['rotated_from']>, now = Date.now()): boolean =>
  Date.parse(works_until) <= now;
