import type { Account } from '../../api/accounts.ts';
import { emptyForm, findChanges, toBody, toForm } from './account-form.ts';

const account: Account = {
  id: '0198f1c2-7d1e-7000-8000-000000000001',
  name: 'Acme',
  status: 'active',
  mode: 'postpaid',
  credit_limit_usd: '100.000000000001',
  limits: {
    requests_per_minute: 60,
    tokens_per_minute: null,
    concurrent_requests: 5,
    units_per_minute: { images: 3 },
  },
  allowed_groups: ['default', 'vip'],
  max_keys: 0,
  time_zone: 'Europe/Berlin',
  closed_until: null,
  created_at: '2026-11-01T00:00:00.000Z',
  balance_usd: '0.00',
};

test('what is left empty is no limit', () => {
  expect(toBody({ ...emptyForm, name: ' Acme ', mode: 'postpaid' })).toEqual({
    name: 'Acme',
    mode: 'postpaid',
    credit_limit_usd: null,
    time_zone: 'UTC',
    limits: {},
    allowed_groups: null,
    max_keys: null,
  });
});

test('a prepaid account has no credit limit, whatever stood there before', () => {
  expect(toBody({ ...emptyForm, mode: 'prepaid', creditLimit: '100' }).credit_limit_usd).toBeNull();
});

test('an account that is opened and saved stays as it is, to the last digit', () => {
  const { id, status, closed_until, created_at, balance_usd, ...stated } = account;
  expect([id, status, closed_until, created_at, balance_usd]).toHaveLength(5);
  const { tokens_per_minute: none, ...limits } = stated.limits;
  expect(none).toBeNull();
  expect(toBody(toForm(account))).toEqual({ ...stated, limits });
});

test('what is not changed in the dialog is not sent: another may have changed it meanwhile', () => {
  const before = toForm(account);
  expect(findChanges(before, before)).toEqual({});
  expect(findChanges(before, { ...before, name: 'Acme GmbH' })).toEqual({ name: 'Acme GmbH' });
  expect(findChanges(before, { ...before, limits: { ...before.limits, images: '' } })).toEqual({
    limits: { requests_per_minute: 60, concurrent_requests: 5 },
  });
});

test('an account that becomes prepaid loses its credit limit with it', () => {
  const before = toForm(account);
  expect(findChanges(before, { ...before, mode: 'prepaid' })).toEqual({
    mode: 'prepaid',
    credit_limit_usd: null,
  });
});
