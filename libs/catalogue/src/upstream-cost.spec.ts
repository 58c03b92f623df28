import { modelSchema, type Upstream, upstreamSchema } from './schema.ts';
import { completePrices } from './complete-prices.ts';
import { computeUpstreamCost, isCostCredible, parseReportedCost } from './upstream-cost.ts';

const model = modelSchema.parse({
  name: 'm',
  vendor: 'v',
  prices: completePrices({ input: 10, output: 20 }),
});
const own = { prices: completePrices({ input: 3, output: 4 }), tiers: [], request_price: 0 };
const upstream = (of: Partial<Upstream>): Upstream => ({
  ...upstreamSchema.parse({ name: 'u', base_url: 'https://u.example', protocols: ['openai-chat'] }),
  ...of,
});

test.each<[string, Upstream | undefined, string | null | undefined, bigint | null]>([
  ['the share of the member first', upstream({ costs: { m: own }, cost_ratio: '0.1' }), '0.5', 15n],
  ['then the own list of the upstream', upstream({ costs: { m: own }, cost_ratio: '0.1' }), null, 7n],
  ['then the share of the upstream', upstream({ cost_ratio: '0.1' }), null, 3n],
  ['nothing where nobody says', upstream({}), null, null],
  ['the share of a member whose upstream is gone', undefined, '0.5', 15n],
  ['nothing where both are gone', undefined, undefined, null],
  ['a share of nothing', upstream({ costs: { m: own } }), '0', 0n],
])('an upstream charges %s', (_what, from, share, cost) => {
  const member = share === undefined ? undefined : { cost_ratio: share };
  expect(computeUpstreamCost({ counts: { input: 1, output: 1 } }, model, from, member)).toBe(cost);
});

test.each([
  [1_000_000_000_000n, 0n, true],
  [1_000_000_000_001n, 0n, false],
  [1_000_000_000_001n, 100_000_000_000n, false],
  [20_000_000_000_000n, 2_000_000_000_000n, true],
  [20_000_000_000_001n, 2_000_000_000_000n, false],
])('a reported cost of %i where the list says %i: %s', (reported, listed, credible) => {
  expect(isCostCredible(reported, listed)).toBe(credible);
});

test.each<[string, bigint | undefined]>([
  ['0', 0n],
  ['0.00012345', 123_450_000n],
  ['1.4e-05', 14_000_000n],
  ['2E3', 2_000_000_000_000_000n],
  ['12345.678901234567', 12_345_678_901_234_567n],
  ['0.0000000000005', 0n],
  ['0.0000000000015', 2n],
  ['-1', undefined],
  ['1000000', undefined],
  ['1e99', undefined],
  ['', undefined],
])('a cost that is written as %s', (text, pico) => {
  expect(parseReportedCost(text)).toBe(pico);
});

test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])(
  'of a model %s an upstream that states no price of it charges its share',
  (name) => {
    const usage = { counts: { input: 1, output: 1 } };
    const from = upstream({ costs: { m: own }, cost_ratio: '0.1' });
    expect(computeUpstreamCost(usage, { ...model, name }, from, undefined)).toBe(3n);
  },
);
