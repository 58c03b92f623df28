import { toBody, emptyForm, computeTotal } from './batch-form.ts';

test.each([
  ['5', 100, '500.00'],
  ['0.000000000001', 10_000, '0.00000001'],
  ['', 100, null],
  ['0', 100, null],
  ['5', '', null],
  ['5', 0, null],
] as const)('codes of "%s", %s of them, give %s in all', (amount, count, total) => {
  expect(computeTotal({ ...emptyForm, amount, count })).toBe(total);
});

test('codes are good until their last day ends', () => {
  const form = { amount: ' 5.00 ', count: 100, lastDay: '2027-01-31', note: ' Conference booth ' };
  expect(toBody(form, 'Asia/Shanghai')).toEqual({
    amount_usd: '5.00',
    count: 100,
    expires_at: '2027-01-31T16:00:00.000Z',
    note: 'Conference booth',
  });
  expect(toBody({ ...form, lastDay: null }, 'Asia/Shanghai').expires_at).toBeNull();
});
