import { formatUsd, parseUsd } from '@tollgate/money';
import type { Movement } from '../../api/statements.ts';

/** What payments, grants and all else brought, as exact decimal USD. */
export const computeSum = (movements: readonly Movement[]): string =>
  formatUsd(movements.reduce((sum, { amount_usd }) => sum + parseUsd(amount_usd), 0n));
