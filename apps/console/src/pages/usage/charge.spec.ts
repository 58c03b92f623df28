import type { UsageEntry } from '../../api/usage.ts';
import { describeCharge } from './charge.ts';
import { exampleModel } from '../../shared/example-prices.ts';

const model = exampleModel({
  prices: { input: 2_500_000, cache_read: 250_000, output: 10_000_000 },
  tiers: [
    { above_input_tokens: 1_000, prices: { input: 5_000_000, cache_read: 500_000, output: 15_000_000 } },
  ],
});

const entry = (
  tokens: Record<string, number>,
  cost_usd: string,
  group_ratio = '1',
  discount_ratio = '1',
): UsageEntry => ({
  request_id: 'req_1',
  occurred_at: '2026-11-21T12:00:00.000Z',
  account_id: 'a',
  key_id: 'k',
  group: 'default',
  group_ratio,
  discount_ratio,
  model: 'acme-large',
  protocol: 'openai-chat',
  stream: false,
  pricing_version: 1,
  tokens,
  units: {},
  service_tier: 'standard',
  region: null,
  lines: [{ model: 'acme-large', service_tier: 'standard', region: null, counts: tokens, cost_usd }],
  cost_usd,
  usage_source: 'upstream',
  outcome: 'completed',
  http_status: 200,
  latency_ms: 12,
  first_byte_ms: 10,
});

test('every kind of token is a line, and the lines add up', () => {
  expect(describeCharge(entry({ input: 100, cache_read: 20, output: 7 }, '0.000325'), model)).toEqual({
    lines: [
      { kind: 'input', tokens: 100, price: '2.50', amount: '0.00025' },
      { kind: 'cache_read', tokens: 20, price: '0.25', amount: '0.000005' },
      { kind: 'output', tokens: 7, price: '10.00', amount: '0.00007' },
    ],
    listed: '0.000325',
    groupRatio: '1',
    discountRatio: null,
    isTiered: false,
  });
});

test('a long input is priced by its tier, tokens from a cache counted too', () => {
  const { isTiered, listed } = describeCharge(
    entry({ input: 900, cache_read: 101, output: 1 }, '0.0045655'),
    model,
  );
  expect({ isTiered, listed }).toEqual({ isTiered: true, listed: '0.0045655' });
  expect(describeCharge(entry({ input: 900, cache_read: 100 }, '0.002275'), model).isTiered).toBe(false);
});

test('the price of a request is a line of its own', () => {
  const { lines, listed } = describeCharge(entry({ input: 1 }, '0.0100025'), {
    ...model,
    request_price: 10_000,
  });
  expect(lines.at(-1)).toEqual({ kind: 'request', tokens: null, price: '0.01', amount: '0.01' });
  expect(listed).toBe('0.0100025');
});

test.each([
  ['1', null],
  ['1.0', null],
  ['0.9', '0.9'],
  ['0.333333333', '0.333333333'],
  ['0', '0'],
])('an account that pays %s of the price of its group has the discount %s', (ratio, discount) => {
  expect(describeCharge(entry({ input: 1_000 }, '0.00', '0.8', ratio), model)).toMatchObject({
    groupRatio: '0.8',
    discountRatio: discount,
  });
});
