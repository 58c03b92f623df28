import { computeCharge } from '@tollgate/catalogue/price';
import { formatUsd, parseRatio } from '@tollgate/money';
import type { Counts } from '@tollgate/vocabulary';
import fc from 'fast-check';
import type { UsageEntry } from '../../api/usage.ts';
import { exampleModel } from '../../shared/example-prices.ts';
import { describeCharge, describeDispute, type UsageLine } from './charge.ts';

const model = exampleModel({
  prices: { input: 2_500_000, cache_read: 250_000, output: 10_000_000 },
  tiers: [
    { above_input_tokens: 1_000, prices: { input: 5_000_000, cache_read: 500_000, output: 15_000_000 } },
  ],
});

const lineOf = (of: Partial<UsageLine>): UsageLine => ({
  model: 'acme-large',
  service_tier: 'standard',
  region: null,
  counts: {},
  counted: [],
  cost_usd: '0.00',
  ...of,
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
  operation: 'generate',
  stream: false,
  pricing_version: 1,
  tokens,
  units: {},
  service_tier: 'standard',
  region: null,
  lines: [lineOf({ counts: tokens, cost_usd })],
  disputed: null,
  cost_usd,
  usage_source: 'upstream',
  outcome: 'completed',
  http_status: 200,
  latency_ms: 12,
  first_byte_ms: 10,
});

/** How the only line of a request was charged. */
const describe1 = (of: UsageEntry, by = model) => describeCharge(of, of.lines[0] ?? lineOf({}), by);

test('every kind of token is a row, and the rows add up', () => {
  const row = { isCounted: false };
  expect(describe1(entry({ input: 100, cache_read: 20, output: 7 }, '0.000325'))).toEqual({
    tokens: [
      { ...row, kind: 'input', quantity: 100, price: 2_500_000, amount: '0.00025' },
      { ...row, kind: 'cache_read', quantity: 20, price: 250_000, amount: '0.000005' },
      { ...row, kind: 'output', quantity: 7, price: 10_000_000, amount: '0.00007' },
    ],
    tokenRatios: [],
    others: [],
    listed: '0.000325',
    groupRatio: '1',
    discountRatio: null,
    isTiered: false,
    computed: null,
  });
});

test('a long input is priced by its tier, tokens from a cache counted too', () => {
  expect(describe1(entry({ input: 900, cache_read: 101, output: 1 }, '0.0045655'))).toMatchObject({
    isTiered: true,
    listed: '0.0045655',
  });
  expect(describe1(entry({ input: 900, cache_read: 100 }, '0.002275'))?.isTiered).toBe(false);
});

test('the price of a request is a row of its own, and of the first model alone', () => {
  const priced = { ...model, request_price: 10_000 };
  const first = lineOf({ counts: { input: 1 }, cost_usd: '0.0100025' });
  const second = lineOf({ counts: { input: 1 }, cost_usd: '0.0000025' });
  const of = { ...entry({ input: 2 }, '0.010005'), lines: [first, second] };
  const charge = describeCharge(of, first, priced);
  expect(charge?.others).toEqual([
    { kind: 'request', quantity: null, price: 10_000, amount: '0.01', isCounted: false },
  ]);
  expect(charge).toMatchObject({ listed: '0.0100025', computed: null });
  expect(describeCharge(of, second, priced)).toMatchObject({ others: [], computed: null });
});

const beside = {
  ...model,
  unit_prices: { searches: 10_000_000_000 },
  service_tiers: { priority: '2', flex: '0.333' },
  regions: { us: '1.1' },
  features: { web_fetch: 'free' as const, speed: 'free' as const },
};

test('the service tier and the region change what tokens cost, and not what searches do', () => {
  const line = lineOf({
    counts: { input: 100, searches: 3, fetches: 2 },
    counted: ['searches'],
    service_tier: 'priority',
    region: 'us',
    cost_usd: '0.03055',
  });
  expect(describeCharge({ ...entry({}, '0.03055'), lines: [line] }, line, beside)).toMatchObject({
    tokens: [{ kind: 'input', amount: '0.00025' }],
    tokenRatios: [
      { of: 'serviceTier', name: 'priority', ratio: '2' },
      { of: 'region', name: 'us', ratio: '1.1' },
    ],
    others: [
      { kind: 'searches', quantity: 3, price: 10_000_000_000, amount: '0.03', isCounted: true },
      { kind: 'fetches', quantity: 2, price: 0, amount: '0.00', isCounted: false },
    ],
    listed: '0.03055',
    computed: null,
  });
});

test('what is not whole before it is rounded is shown with all its places', () => {
  const line = lineOf({
    counts: { input: 1 },
    service_tier: 'flex',
    region: 'us',
    cost_usd: '0.000000915750',
  });
  const small = { ...beside, prices: { input: 2_500_001 } };
  expect(describeCharge({ ...entry({}, '0.00000091575'), lines: [line] }, line, small)).toMatchObject({
    listed: '0.0000009157503663',
    computed: null,
  });
});

test('a tier that is given away has no ratio', () => {
  const line = lineOf({ counts: { input: 100 }, service_tier: 'fast', cost_usd: '0.00025' });
  expect(describeCharge({ ...entry({}, '0.00025'), lines: [line] }, line, beside)).toMatchObject({
    tokenRatios: [],
    computed: null,
  });
});

test('prices that give another amount are told, and those that lack one explain nothing', () => {
  expect(describe1(entry({ input: 100 }, '0.00026'))?.computed).toBe('0.00025');
  expect(describe1(entry({ input: 100, pages: 1 }, '0.00025'), beside)).toBeUndefined();
});

test('any request is explained to the last digit: what its prices give is what was charged', () => {
  const count = fc.nat(100_000);
  const counts = fc.record(
    { input: count, cache_read: count, output: count, searches: fc.nat(20) },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Counts>;
  const line = fc.record({
    counts,
    service_tier: fc.constantFrom('standard' as const, 'priority' as const, 'flex' as const),
    region: fc.constantFrom(null, 'us'),
  });
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('1', '0.333333333', '0.85'),
      fc.constantFrom('1', '0.9'),
      (some, group_ratio, discount_ratio) => {
        const priced = { ...beside, request_price: 3 };
        const lines = some.map((of, index) => {
          const used = {
            counts: of.counts,
            serviceTier: of.service_tier,
            region: of.region ?? undefined,
            isRequest: index === 0,
          };
          const ratios = [parseRatio(group_ratio), parseRatio(discount_ratio)];
          return lineOf({ ...of, cost_usd: formatUsd(computeCharge(used, priced, ratios)) });
        });
        const of = { ...entry({}, '0.00', group_ratio, discount_ratio), lines };
        for (const each of lines) expect(describeCharge(of, each, priced)?.computed).toBeNull();
      },
    ),
  );
});

test('what is disputed is what was reported beyond the charge', () => {
  const charged = lineOf({ counts: { input: 3, searches: 2 } });
  const reported: NonNullable<UsageEntry['disputed']>['lines'] = [
    {
      model: 'acme-large',
      service_tier: 'priority',
      region: 'us',
      counts: { input: 3, searches: 9 },
    },
    { model: 'drawing', counts: { output_image: 5 } },
  ];
  expect(describeDispute({ lines: [charged], disputed: { status: 'open', lines: reported } })).toEqual({
    kinds: [
      { kind: 'searches', reported: 9, charged: 2 },
      { kind: 'output_image', reported: 5, charged: 0 },
    ],
    serviceTiers: ['priority'],
    regions: ['us'],
    models: ['drawing'],
  });
});

test.each([
  ['1', null],
  ['1.0', null],
  ['0.9', '0.9'],
  ['0.333333333', '0.333333333'],
  ['0', '0'],
])('an account that pays %s of the price of its group has the discount %s', (ratio, discount) => {
  expect(describe1(entry({ input: 1_000 }, '0.00', '0.8', ratio))).toMatchObject({
    groupRatio: '0.8',
    discountRatio: discount,
  });
});
