import type { Effort } from './request.ts';

/** The effort that a budget of reasoning tokens comes nearest to. */
export function effortOfBudget(budget: number): Effort | undefined {
  if (budget < 0) return undefined;
  if (budget === 0) return 'none';
  if (budget <= 2_048) return 'low';
  return budget <= 12_288 ? 'medium' : 'high';
}

/** Tokens for each effort: what {@link effortOfBudget} reads back. */
const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};

/** The budget of reasoning tokens that an effort comes nearest to. */
export const budgetOfEffort = (effort: Effort): number => BUDGETS[effort];

/** A budget that leaves the answer itself a share of so many tokens in all, however long the model may think. */
export const budgetWithin = (budget: number, maxTokens: number): number =>
  Math.min(budget, maxTokens - Math.min(4_096, Math.floor(maxTokens / 4)));
