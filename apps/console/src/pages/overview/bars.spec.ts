import { parseUsd } from '@tollgate/money';
import { toBars } from './bars.ts';

const each = {
  requests: [10, 4],
  failed: [3, 0],
  revenue_usd: ['10', '5'],
  upstream_cost_usd: ['6', '7'],
  // Of the first bucket requests of 1 USD have an unknown cost; the second cost more than it earned.
  margin_usd: ['3', '-2'],
  first_byte_ms: [120, null],
};
const usd = (...amounts: readonly string[]) => amounts.map(parseUsd);

test('requests are those that were answered and those that failed', () => {
  expect(toBars({ each }, 'requests').map(({ name, values }) => [name, values])).toEqual([
    ['answered', [7n, 4n]],
    ['failed', [3n, 0n]],
  ]);
});

test('spend is what upstreams charge, the margin, a loss, and what nobody knows the cost of', () => {
  expect(toBars({ each }, 'spend').map(({ name, values }) => [name, values])).toEqual([
    ['cost', usd('6', '5')],
    ['margin', usd('3', '0')],
    ['loss', usd('0', '2')],
    ['unknown', usd('1', '0')],
  ]);
});

test('a time without answers has no first byte', () => {
  expect(toBars({ each }, 'firstByte').map(({ values }) => values)).toEqual([[120n, 0n]]);
});
