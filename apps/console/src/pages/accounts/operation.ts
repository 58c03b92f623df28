import { parseUsd } from '@tollgate/money';
import type { AccountOperation } from '../../api/ledger.ts';

/** Whether a text is an amount that such an operation takes: adjustments may be below zero, nothing may be zero. */
export function isAmountFor(kind: AccountOperation, text: string): boolean {
  try {
    const pico = parseUsd(text.trim());
    return kind === 'adjustment' ? pico !== 0n : pico > 0n;
  } catch {
    return false;
  }
}
