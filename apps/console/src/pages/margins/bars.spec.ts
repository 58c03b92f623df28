import { toBars } from './bars.ts';

const row = (revenue: string, unknown: string, cost: string) => ({
  requests: 1,
  requests_of_unknown_cost: 0,
  revenue_usd: revenue,
  revenue_of_unknown_cost_usd: unknown,
  upstream_cost_usd: cost,
  lost_attempts: 0,
  lost_attempts_of_unknown_cost: 0,
  lost_attempts_cost_usd: '0.00',
  margin_usd: '0.00',
  margin_ratio: null,
});

test('a bar is as long as revenue, or as what upstreams charge where that is more', () => {
  expect(toBars([row('10', '0', '4'), row('3', '1', '4'), row('1', '1', '0')])).toEqual([
    { cost: 40, margin: 60, loss: 0, unknown: 0 },
    { cost: 20, margin: 0, loss: 20, unknown: 10 },
    { cost: 0, margin: 0, loss: 0, unknown: 10 },
  ]);
});

test('nothing earned is no bar', () => {
  expect(toBars([row('0', '0', '0')])).toEqual([{ cost: 0, margin: 0, loss: 0, unknown: 0 }]);
  expect(toBars([])).toEqual([]);
});
