import type { ApiKey } from '../../api/keys.ts';
import { budgetsInUse, isOver, findKeyStatus } from './status.ts';

const key: ApiKey = {
  id: 'k',
  account_id: 'a',
  owner_id: null,
  owner: null,
  name: 'Key',
  masked: 'sk-abc…wxyz',
  group: 'default',
  status: 'active',
  expires_at: null,
  budgets: { total_usd: null, daily_usd: null, monthly_usd: null },
  spent: { total_usd: '30.00', today_usd: '1.00', this_month_usd: '9.00' },
  limits: { requests_per_minute: null, tokens_per_minute: null, concurrent_requests: null },
  models: null,
  allowed_addresses: null,
  strict: false,
  temporary: false,
  rotated_from: null,
  operator_fields: {},
  created_at: '2026-11-01T00:00:00Z',
  last_used_at: null,
};
const now = Date.parse('2026-11-21T12:00:00Z');
const budgets = { total_usd: '100.00', daily_usd: '2.00', monthly_usd: '10.00' };

test('budgets stand beside what was spent in their time, the fullest first', () => {
  expect(budgetsInUse({ ...key, budgets })).toEqual([
    { window: 'monthly', budget: '10.00', spent: '9.00', percent: 90 },
    { window: 'daily', budget: '2.00', spent: '1.00', percent: 50 },
    { window: 'total', budget: '100.00', spent: '30.00', percent: 30 },
  ]);
  expect(budgetsInUse(key)).toEqual([]);
});

test.each<[Partial<ApiKey>, string]>([
  [{}, 'active'],
  [{ budgets }, 'active'],
  [{ status: 'disabled', expires_at: '2026-01-01T00:00:00Z' }, 'disabled'],
  [{ expires_at: '2026-11-21T12:00:00Z' }, 'expired'],
  [{ expires_at: '2026-11-21T12:00:01Z' }, 'active'],
  [{ budgets: { ...budgets, daily_usd: '1.00' } }, 'spent'],
])('with %j a key is %s', (change, status) => {
  expect(findKeyStatus({ ...key, ...change }, now)).toBe(status);
});

test('a former secret is over at the moment that is said, and not before', () => {
  const former = { masked: 'sk-Ab12…x9Yz', works_until: '2026-11-22T12:00:00.000Z' };
  const until = Date.parse(former.works_until);
  expect([isOver(former, until - 1), isOver(former, until)]).toEqual([false, true]);
});
