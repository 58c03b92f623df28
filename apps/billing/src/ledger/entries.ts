import type { BilledRequest } from './billed-request.ts';
import type { LedgerEntry } from './journal.ts';
import { ADJUSTMENTS, CASH, customer, GRANTS, revenue, WRITE_OFFS } from './ledger-accounts.ts';

/** Money of a customer has come in. */
export const paymentEntries = (accountId: string, amountPico: bigint): LedgerEntry[] =>
  move(CASH, customer(accountId), positive(amountPico));

/** Money goes back to a customer. */
export const payoutEntries = (accountId: string, amountPico: bigint): LedgerEntry[] =>
  move(customer(accountId), CASH, positive(amountPico));

/** Credit is given away: by us, or for a redemption code. */
export const grantEntries = (accountId: string, amountPico: bigint): LedgerEntry[] =>
  move(GRANTS, customer(accountId), positive(amountPico));

/** A debt is given up. */
export const writeOffEntries = (accountId: string, amountPico: bigint): LedgerEntry[] =>
  move(WRITE_OFFS, customer(accountId), positive(amountPico));

/** A balance is raised, or lowered by an amount below zero. */
export function adjustmentEntries(accountId: string, amountPico: bigint): LedgerEntry[] {
  if (amountPico === 0n) throw new RangeError('an adjustment changes something');
  return move(ADJUSTMENTS, customer(accountId), amountPico);
}

/** The customer gets back what a request cost, or a part of it, and the vendor it was earned with loses it. */
export function refundEntries(
  { accountId, vendor, costPico }: Pick<BilledRequest, 'accountId' | 'vendor' | 'costPico'>,
  amountPico: bigint,
): LedgerEntry[] {
  if (positive(amountPico) > costPico) throw new RangeError('a refund takes back what was earned, not more');
  return move(revenue(vendor), customer(accountId), amountPico);
}

/** What undoes a transaction. */
export const reversedEntries = (entries: readonly LedgerEntry[]): LedgerEntry[] =>
  entries.map(({ ledgerAccount, amountPico }) => ({ ledgerAccount, amountPico: -amountPico }));

const move = (from: string, to: string, amountPico: bigint): LedgerEntry[] => [
  { ledgerAccount: from, amountPico: -amountPico },
  { ledgerAccount: to, amountPico },
];

function positive(amountPico: bigint): bigint {
  if (amountPico <= 0n) throw new RangeError('the amount must be above zero');
  return amountPico;
}
