import fc from 'fast-check';
import {
  adjustmentEntries,
  grantEntries,
  paymentEntries,
  payoutEntries,
  refundEntries,
  reversedEntries,
  writeOffEntries,
} from './entries.ts';
import type { LedgerEntry } from './journal.ts';

const table = (entries: readonly LedgerEntry[]) =>
  Object.fromEntries(entries.map(({ ledgerAccount, amountPico }) => [ledgerAccount, amountPico]));
const request = (costPico: bigint) => ({ accountId: 'a', vendor: 'acme', costPico });

test.each<[string, LedgerEntry[], Record<string, bigint>]>([
  ['a payment', paymentEntries('a', 5n), { 'customer:a': 5n, cash: -5n }],
  ['a payout', payoutEntries('a', 5n), { 'customer:a': -5n, cash: 5n }],
  ['a grant', grantEntries('a', 5n), { 'customer:a': 5n, grants: -5n }],
  ['a write-off', writeOffEntries('a', 5n), { 'customer:a': 5n, 'write-offs': -5n }],
  ['an adjustment up', adjustmentEntries('a', 5n), { 'customer:a': 5n, adjustments: -5n }],
  ['an adjustment down', adjustmentEntries('a', -5n), { 'customer:a': -5n, adjustments: 5n }],
  ['a refund', refundEntries(request(9n), 5n), { 'customer:a': 5n, 'revenue:acme': -5n }],
  ['a whole refund', refundEntries(request(9n), 9n), { 'customer:a': 9n, 'revenue:acme': -9n }],
  ['a payment undone', reversedEntries(paymentEntries('a', 5n)), { 'customer:a': -5n, cash: 5n }],
])('%s', (_what, entries, expected) => {
  expect(table(entries)).toEqual(expected);
});

const amounts = fc.bigInt({ min: -(10n ** 27n), max: 10n ** 27n });
const made = {
  payment: paymentEntries,
  payout: payoutEntries,
  grant: grantEntries,
  'write-off': writeOffEntries,
  adjustment: adjustmentEntries,
  refund: (_accountId: string, amount: bigint) => refundEntries(request(10n ** 27n), amount),
};
const mayBeNegative = 'adjustment';
const lowersTheBalance = 'payout';

test.each(Object.entries(made))('a %s sums to zero and moves what was asked, or is refused', (kind, make) => {
  fc.assert(
    fc.property(amounts, (amount) => {
      if (kind === mayBeNegative ? amount === 0n : amount <= 0n) {
        expect(() => make('a', amount)).toThrow(RangeError);
        return;
      }
      const entries = make('a', amount);
      expect(entries.reduce((sum, { amountPico }) => sum + amountPico, 0n)).toBe(0n);
      expect(table(entries)['customer:a']).toBe(kind === lowersTheBalance ? -amount : amount);
      const both = [...entries, ...reversedEntries(entries)];
      for (const { ledgerAccount } of entries) {
        const left = both.filter((entry) => entry.ledgerAccount === ledgerAccount);
        expect(left.reduce((sum, { amountPico }) => sum + amountPico, 0n)).toBe(0n);
      }
    }),
  );
});

test('a refund takes back no more than was earned, and nothing where nothing was earned', () => {
  expect(() => refundEntries(request(9n), 10n)).toThrow(RangeError);
  expect(() => refundEntries(request(0n), 1n)).toThrow(RangeError);
});
