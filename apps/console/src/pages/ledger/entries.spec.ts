import { toSides, computeTurnover } from './entries.ts';

const entries = [
  { ledger_account: 'cost:east', amount_usd: '-0.00002' },
  { ledger_account: 'customer:a', amount_usd: '-0.0000375' },
  { ledger_account: 'payable:east', amount_usd: '0.00002' },
  { ledger_account: 'revenue:acme', amount_usd: '0.0000375' },
];

test('each entry stands on one side, and both sides add up to the same', () => {
  expect(toSides(entries)).toEqual([
    { account: 'cost:east', taken: '0.00002', given: null },
    { account: 'customer:a', taken: '0.0000375', given: null },
    { account: 'payable:east', taken: null, given: '0.00002' },
    { account: 'revenue:acme', taken: null, given: '0.0000375' },
  ]);
  expect(computeTurnover(entries)).toBe('0.0000575');
});
