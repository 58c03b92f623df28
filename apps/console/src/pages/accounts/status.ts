import { formatUsd, parseUsd } from '@tollgate/money';
import type { Account } from '../../api/accounts.ts';

/** What an account may still spend in decimal USD, never below zero; null is without a limit. */
export function creditLeft(
  account: Pick<Account, 'mode' | 'credit_limit_usd' | 'balance_usd'>,
): string | null {
  if (account.mode === 'postpaid' && account.credit_limit_usd === null) return null;
  const left = parseUsd(account.balance_usd) + parseUsd(account.credit_limit_usd ?? '0');
  return formatUsd(left > 0n ? left : 0n);
}

export const isBelowZero = (amount: string): boolean => parseUsd(amount) < 0n;
