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

/** What a complete audit reads, one after the other. */
export const AUDIT_STEPS = ['journal', 'balances', 'sums'] as const;

/** What an audit of the ledger may find. */
export const AUDIT_CHECKS = [
  'number_missing',
  'number_taken_twice',
  'entries_without_transaction',
  'entries_not_balanced',
  'transaction_without_entries',
  'transaction_without_usage',
  'usage_without_transaction',
  'usage_posted_twice',
  'usage_differs_from_entries',
  'digest_differs_from_rows',
  'lost_attempt_without_row',
  'lost_attempt_without_transaction',
  'lost_attempt_differs_from_entries',
  'balance_differs_from_entries',
  'ledger_month_differs_from_entries',
  'ledger_month_differs_from_balance',
  'usage_month_differs_from_usage',
  'usage_month_differs_from_ledger_month',
  'usage_hour_differs_from_usage',
  'account_hour_differs_from_usage_hour',
  'served_hour_differs_from_usage',
  'spent_by_key_differs_from_usage_month',
  'key_spend_differs_from_usage_month',
] as const;
export type AuditCheck = (typeof AUDIT_CHECKS)[number];

/** What margins are shown by. */
export const MARGIN_GROUPS = ['model', 'pool', 'customer', 'upstream', 'vendor'] as const;
export type MarginGroup = (typeof MARGIN_GROUPS)[number];

/** How a day and model of an upstream's invoice compares with our usage. */
export const COMPARISON_STATUSES = ['ok', 'differs', 'only_ours', 'only_theirs'] as const;
export type ComparisonStatus = (typeof COMPARISON_STATUSES)[number];
