import { formatUsd, parseUsd } from '@tollgate/money';
import type { Account } from '../../api/account.ts';
import { percentSpent } from '../../shared/format.ts';

interface BalanceStatus {
  /** What is said below the balance. */
  readonly kind: 'prepaid' | 'empty' | 'owing' | 'unlimited';
  /** What may still be spent; null where there is no limit. */
  readonly left: string | null;
  /** How much of a limit is used, from 0 to 100; null where there is none. */
  readonly used: number | null;
}

/** What an account can still spend: a prepaid one what it has, a postpaid one down to its limit. */
export function findBalanceStatus(
  { mode, credit_limit_usd: limit }: Pick<Account, 'mode' | 'credit_limit_usd'>,
  balance: string,
): BalanceStatus {
  const pico = parseUsd(balance);
  if (mode === 'prepaid') return { kind: pico > 0n ? 'prepaid' : 'empty', left: balance, used: null };
  if (limit === null) return { kind: 'unlimited', left: null, used: null };
  const left = parseUsd(limit) + pico;
  const owed = pico < 0n ? formatUsd(-pico) : '0';
  return {
    kind: left > 0n ? 'owing' : 'empty',
    left: formatUsd(left > 0n ? left : 0n),
    used: percentSpent(owed, limit),
  };
}
