import type { ApiKey } from '../../api/keys.ts';
import { toBody, findChanges, emptyForm, toForm, isBudget } from './key-form.ts';

const ZONE = 'Asia/Shanghai';

test('what is left empty is no limit', () => {
  expect(toBody({ ...emptyForm, name: ' Nightly reports ' }, ZONE)).toEqual({
    name: 'Nightly reports',
    group: 'default',
    budgets: { total_usd: null, daily_usd: null, monthly_usd: null },
    limits: {},
    models: null,
    allowed_addresses: null,
    expires_at: null,
    strict: false,
  });
});

test('amounts go as they were typed, to the last digit', () => {
  const body = toBody(
    { ...emptyForm, name: 'x', total: '100', daily: ' 0.000000000001 ', monthly: '12.50' },
    ZONE,
  );
  expect(body?.budgets).toEqual({ total_usd: '100', daily_usd: '0.000000000001', monthly_usd: '12.50' });
});

test('limits are numbers, and the last day counts to its end', () => {
  const body = toBody(
    {
      ...emptyForm,
      name: 'x',
      limits: {
        ...emptyForm.limits,
        requests_per_minute: 60,
        tokens_per_minute: '100000',
        concurrent_requests: 8,
        images: '5',
      },
      lastDay: '2027-01-31',
    },
    ZONE,
  );
  expect(body?.limits).toEqual({
    requests_per_minute: 60,
    tokens_per_minute: 100_000,
    concurrent_requests: 8,
    units_per_minute: { images: 5 },
  });
  expect(body?.expires_at).toBe('2027-01-31T16:00:00.000Z');
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

const key = (of: Partial<ApiKey> = {}): ApiKey => ({
  id: '0198f1c2-7d1e-7000-8000-000000000001',
  account_id: '0198f1c2-7d1e-7000-8000-000000000002',
  owner_id: null,
  owner: null,
  name: 'Nightly reports',
  masked: 'sk-Ab12…x9Yz',
  group: 'default',
  status: 'active',
  expires_at: null,
  budgets: { total_usd: '100', daily_usd: null, monthly_usd: '12.5' },
  spent: { total_usd: '0', today_usd: '0', this_month_usd: '0' },
  limits: {
    requests_per_minute: 60,
    tokens_per_minute: null,
    concurrent_requests: 8,
    units_per_minute: { images: 3 },
  },
  models: ['sim-chat'],
  allowed_addresses: ['192.0.2.0/24'],
  strict: true,
  temporary: false,
  rotated_from: null,
  operator_fields: {},
  created_at: null,
  last_used_at: null,
  ...of,
});

test('what was not changed is not sent: somebody else may have changed it meanwhile', () => {
  expect(findChanges(key(), toForm(key(), ZONE), ZONE)).toEqual({});
  expect(findChanges(key(), { ...toForm(key(), ZONE), name: 'Daily reports' }, ZONE)).toEqual({
    name: 'Daily reports',
  });
});

test('what is emptied is no limit any more', () => {
  const shown = toForm(key(), ZONE);
  const limits = { ...shown.limits, concurrent_requests: '', images: '' };
  const form = { ...shown, total: '', limits, models: [], addresses: [] };
  expect(findChanges(key(), form, ZONE)).toEqual({
    budgets: { total_usd: null, daily_usd: null, monthly_usd: '12.5' },
    limits: { requests_per_minute: 60 },
    models: null,
    allowed_addresses: null,
  });
});

test('the moment at which a key ends stays, unless another day is chosen', () => {
  const noon = key({ expires_at: '2027-01-31T04:00:00.000Z' });
  expect(toForm(noon, ZONE).lastDay).toBe('2027-01-31');
  expect(findChanges(noon, { ...toForm(noon, ZONE), strict: false }, ZONE)).toEqual({ strict: false });
  const moved = findChanges(noon, { ...toForm(noon, ZONE), lastDay: '2027-02-01' }, ZONE);
  expect(moved.expires_at).toBe('2027-02-01T16:00:00.000Z');
  expect(findChanges(noon, { ...toForm(noon, ZONE), lastDay: null }, ZONE).expires_at).toBeNull();
});

test('a key that ends at midnight worked last on the day before', () => {
  expect(toForm(key({ expires_at: '2027-01-31T16:00:00.000Z' }), ZONE).lastDay).toBe('2027-01-31');
});
