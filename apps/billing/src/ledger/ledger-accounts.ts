/**
 * The accounts of the ledger. Amounts are pico-USD; what is owed to somebody and what is earned are positive, so that
 * a customer's balance is the plain sum of their entries, and margin that of revenue and cost.
 */
/** Whose transactions those are that are about no customer. It is an account of nobody, with no period and no balance. */
export const OPERATOR = '00000000-0000-0000-0000-000000000000';
export const customer = (accountId: string): string => `customer:${accountId}`;
export const REVENUE = 'revenue:';
export const revenue = (vendor: string): string => `${REVENUE}${vendor}`;
/** What upstreams charge for what was relayed, below zero. */
export const upstreamCost = (upstream: string): string => `cost:${upstream}`;
/** What is owed to an upstream until its invoice is paid. */
export const upstreamPayable = (upstream: string): string => `payable:${upstream}`;
/** Money received from customers, below zero. */
export const CASH = 'cash';
/** Credit given away. */
export const GRANTS = 'grants';
export const ADJUSTMENTS = 'adjustments';
/** Debts given up. */
export const WRITE_OFFS = 'write-offs';
