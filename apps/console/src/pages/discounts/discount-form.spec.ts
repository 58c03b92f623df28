import { byAccount, discountFaults, toDiscountForm, toDiscounts, newRow } from './discount-form.ts';

const discounts = [
  { account_id: 'a', models: ['large'], ratio: '0.75' },
  { account_id: 'b', models: ['*'], ratio: '0.5' },
  { account_id: 'a', models: ['*'], ratio: '0.9' },
];

test('discounts stand by account, in the order in which they are tried', () => {
  expect(byAccount({ discounts })).toEqual([
    {
      account: 'a',
      discounts: [
        { models: ['large'], ratio: '0.75' },
        { models: ['*'], ratio: '0.9' },
      ],
    },
    { account: 'b', discounts: [{ models: ['*'], ratio: '0.5' }] },
  ]);
});

test('discounts come out of their form as they went in', () => {
  for (const existing of byAccount({ discounts }))
    expect(toDiscounts(toDiscountForm(existing))).toEqual(existing.discounts);
});

test('faults are told where they are', () => {
  const rows = [newRow, { everyModel: false, models: [], ratio: '10%' }];
  expect(discountFaults({ account: '', rows })).toEqual({
    account: 'accountRequired',
    'rows.1.ratio': 'ratioRequired',
    'rows.1.models': 'modelsRequired',
  });
  expect(discountFaults({ account: 'a', rows: [newRow] }, new Set(['a']))).toEqual({
    account: 'accountTaken',
  });
});
