import { bodyOf, emptyForm, isBudget } from './key-form.ts';

test('what is left empty is no limit', () => {
  expect(bodyOf({ ...emptyForm, name: ' Nightly reports ' })).toEqual({
    name: 'Nightly reports',
    group: 'default',
    budgets: { total_usd: null, daily_usd: null, monthly_usd: null },
    limits: { requests_per_minute: null, tokens_per_minute: null },
    expires_at: null,
    strict: false,
  });
});

test('amounts go as they were typed, to the last digit', () => {
  const body = bodyOf({ ...emptyForm, name: 'x', total: '100', daily: ' 0.000000000001 ', monthly: '12.50' });
  expect(body?.budgets).toEqual({ total_usd: '100', daily_usd: '0.000000000001', monthly_usd: '12.50' });
});

test('limits are numbers, and the last day counts to its end', () => {
  const body = bodyOf({ ...emptyForm, name: 'x', requests: 60, tokens: '100000', lastDay: '2027-01-31' });
  expect(body?.limits).toEqual({ requests_per_minute: 60, tokens_per_minute: 100_000 });
  expect(body?.expires_at).toBe(new Date(2027, 1, 1).toISOString());
});

test.each([
  ['', true],
  [' ', true],
  ['0', true],
  ['12.50', true],
  ['$12', false],
  ['12,50', false],
  ['-1', false],
])('"%s" is a budget: %s', (text, is) => {
  expect(isBudget(text)).toBe(is);
});
