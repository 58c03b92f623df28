import type { Effort } from '../neutral/request.ts';

/** The effort that a budget of reasoning tokens comes nearest to. */
export function effortOfBudget(budget: number): Effort | undefined {
  if (budget < 0) return undefined;
  if (budget === 0) return 'none';
  if (budget <= 2_048) return 'low';
  return budget <= 12_288 ? 'medium' : 'high';
}
