import type { TransactionKind } from '@tollgate/vocabulary';
import type { MarkTone } from '../../shared/Mark.tsx';

/** How a kind of transaction is marked. */
export const KIND_TONES: Readonly<Record<TransactionKind, MarkTone>> = {
  usage: 'plain',
  lost_attempt: 'plain',
  payment: 'good',
  grant: 'accent',
  redemption: 'accent',
  refund: 'warn',
  payout: 'warn',
  correction: 'bad',
  adjustment: 'warn',
  write_off: 'bad',
};
