/** Is told, after the commit, that balances or limits of accounts, or budgets of keys, have changed. Never throws. */
export interface CreditChanges {
  changed(accountIds: readonly string[], keyIds?: readonly string[]): void;
}
