/** What a transaction of the ledger may be. */
export const TRANSACTION_KINDS = [
  'usage',
  'lost_attempt',
  'payment',
  'grant',
  'redemption',
  'refund',
  'payout',
  'correction',
  'adjustment',
  'write_off',
] as const;
export type TransactionKind = (typeof TRANSACTION_KINDS)[number];
