import { parseUsd } from '@tollgate/money';
import { INVOICE_COUNTS } from '@tollgate/vocabulary';
import type { Figures } from '../../api/reconciliation.ts';

export const FIGURES = [...INVOICE_COUNTS, 'amount_usd'] as const;
export type FigureName = (typeof FIGURES)[number];

/** Whether two sides say different things of a figure. */
export function isOff(difference: Figures, figure: FigureName): boolean {
  const value = difference[figure];
  if (value === null) return false;
  return typeof value === 'string' ? parseUsd(value) !== 0n : value !== 0;
}
