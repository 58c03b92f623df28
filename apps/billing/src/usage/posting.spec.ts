import { poolSchema, upstreamSchema } from '@tollgate/catalogue';
import { TOKEN_KINDS, type TokenCounts, type TokenKind } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { type EventFields, expectedCost, snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { type Posting, computePosting } from './posting.ts';

type Counts = Partial<Record<TokenKind, number>>;

function posted(tokens: TokenCounts, prices: Counts, ratio: string): Posting {
  const result = computePosting(usageEvent({ tokens }), snapshotWith(prices, ratio));
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}

test.each<[TokenCounts, Counts, string, bigint]>([
  [{ input: 3, output: 5 }, { input: 2_000_000, output: 8_000_000 }, '1', 46_000_000n],
  [{ input: 3, output: 5 }, { input: 2_000_000, output: 8_000_000 }, '0.85', 39_100_000n],
  [{ input: 1, cache_read: 10 }, { input: 100, cache_read: 7 }, '2', 340n],
  [
    { output: 1, output_reasoning: 1, output_audio: 1, output_image: 1 },
    { output: 1, output_reasoning: 10, output_audio: 100, output_image: 1_000 },
    '1',
    1_111n,
  ],
  [
    { cache_write: 1, cache_write_1h: 1, input_audio: 1, input_image: 1 },
    { cache_write: 1, cache_write_1h: 10, input_audio: 100, input_image: 1_000 },
    '1',
    1_111n,
  ],
  [{ input: 1 }, { input: 1 }, '0.5', 0n],
  [{ input: 3 }, { input: 1 }, '0.5', 2n],
  [{ input: 5 }, { input: 1 }, '0.5', 2n],
  [{ input: 1 }, { input: 1 }, '0.500000001', 1n],
  [{}, { input: 5 }, '1', 0n],
  [
    { input: 9_007_199_254_740_991 },
    { input: 9_007_199_254_740_991 },
    '1',
    81_129_638_414_606_663_681_390_495_662_081n,
  ],
])('%j at %j times %s costs %s pico-USD', (tokens, prices, ratio, cost) => {
  expect(posted(tokens, prices, ratio).costPico).toBe(cost);
});

test.each([
  [10, 20n],
  [11, 44n],
])('a tier above 10 tokens of input prices %s of them as the gateway says', (input, cost) => {
  const snapshot = snapshotWith({ input: 2 }, '1');
  const models = snapshot.catalogue.models.map((model) => ({
    ...model,
    tiers: [{ above_input_tokens: 10, prices: { ...model.prices, input: 4 } }],
  }));
  const tiered = { ...snapshot, catalogue: { ...snapshot.catalogue, models } };
  const result = computePosting(usageEvent({ tokens: { input } }), tiered);
  expect(result.ok && result.value.costPico).toBe(cost);
});

test('what the customer pays is what the vendor of the model earns', () => {
  const posting = posted({ input: 3 }, { input: 7 }, '1');
  expect(posting.entries).toEqual([
    { ledgerAccount: 'customer:0198f1c2-7d1e-7000-8000-000000000001', amountPico: -21n },
    { ledgerAccount: 'revenue:acme', amountPico: 21n },
  ]);
  expect(posting.groupRatio).toBe('1');
});

test.each<[string, EventFields, TokenCounts, TokenCounts]>([
  [
    'small lies',
    { tokens: { input: 5_000_000, output: 700_000 }, bound: { input: 300, output: 5, text_only: true } },
    { input: 300, output: 5 },
    { input: 5_000_000, output: 700_000 },
  ],
  [
    'a damaged count',
    { tokens: { input: 9_007_199_254_740_991 }, bound: { input: 300, output: 5, text_only: true } },
    { input: 300 },
    { input: 9_007_199_254_740_991 },
  ],
  [
    'a damaged bound too, by what the model is able to',
    {
      tokens: { input: 9_007_199_254_740_991, output: 9_007_199_254_740_991 },
      bound: { input: 9_007_199_254_740_991, output: 9_007_199_254_740_991, text_only: false },
    },
    { input: 200_000, output: 128 * 200_000 },
    { input: 9_007_199_254_740_991, output: 9_007_199_254_740_991 },
  ],
  [
    'an event without a bound, by what the model is able to',
    { tokens: { input: 5_000_000 } },
    { input: 200_000 },
    { input: 5_000_000 },
  ],
  [
    'what the gateway cut down already',
    {
      tokens: { input: 300 },
      bound: { input: 300, output: 5, text_only: true },
      reported_tokens: { input: 9_000 },
    },
    { input: 300 },
    { input: 9_000 },
  ],
])('%s: the bound is charged, and what was reported is set aside', (_name, of, charged, reported) => {
  const snapshot = snapshotWith({ input: 7, output: 11 }, '1');
  const [model] = snapshot.catalogue.models;
  if (!model) throw new Error('there is no model');
  model.context_window = 200_000;
  const result = computePosting(usageEvent(of), snapshot);
  if (!result.ok) throw new Error(result.reason);
  expect(result.value.event.lines).toEqual([{ model: 'm', counts: charged }]);
  expect(result.value.reported).toEqual([{ model: 'm', counts: reported }]);
  expect(result.value.event.reported_lines).toEqual([{ model: 'm', counts: reported }]);
  expect(result.value.costPico).toBe(BigInt(charged.input ?? 0) * 7n + BigInt(charged.output ?? 0) * 11n);
});

test('what is within its bound is charged as it was reported, and nothing is set aside', () => {
  const event = usageEvent({
    tokens: { input: 300, output: 5 },
    bound: { input: 300, output: 5, text_only: true },
  });
  const result = computePosting(event, snapshotWith({ input: 7, output: 11 }, '1'));
  expect(result.ok && [result.value.event, result.value.reported]).toEqual([event, undefined]);
});

test('what costs nothing has no ledger entries', () => {
  expect(posted({ input: 3 }, { input: 7 }, '0').entries).toEqual([]);
});

const list = (input: number) => ({
  prices: { ...snapshotWith({ input }, '1').catalogue.models[0]?.prices },
});

/** What the upstream is owed for ten tokens of a list price of 100, as the pool and the upstream state it. */
function owed(member: object, upstream: object, upstream_model = 'm', model = 'm'): bigint | null {
  const snapshot = snapshotWith({ input: 100 }, '1');
  const result = computePosting(usageEvent({ tokens: { input: 10 }, model, upstream_model }), {
    ...snapshot,
    catalogue: {
      ...snapshot.catalogue,
      models: snapshot.catalogue.models.map((each) => ({ ...each, name: model })),
      upstreams: [
        upstreamSchema.parse({
          name: 'east',
          base_url: 'https://east.example',
          protocols: ['openai-chat'],
          ...upstream,
        }),
      ],
      pools: [
        poolSchema.parse({
          name: 'main',
          groups: ['*'],
          models: ['*'],
          members: [
            { upstream: 'east', ...member },
            { upstream: 'east', model_map: { m: 'm-small' }, cost_ratio: '0.1' },
          ],
        }),
      ],
    },
  });
  if (!result.ok) throw new Error(result.reason);
  return result.value.upstreamCostPico;
}

test.each<[string, object, object, string, bigint | null]>([
  ['nothing is stated, nothing is known', {}, {}, 'm', null],
  ['the upstream states a share', {}, { cost_ratio: '0.7' }, 'm', 700n],
  ['the upstream states prices', {}, { cost_ratio: '0.7', costs: { m: list(60) } }, 'm', 600n],
  [
    'the member states a share',
    { cost_ratio: '0.5' },
    { cost_ratio: '0.7', costs: { m: list(60) } },
    'm',
    500n,
  ],
  ['another member served it', { cost_ratio: '0.5' }, { cost_ratio: '0.7' }, 'm-small', 100n],
])('where %s, that is what the upstream is owed', (_what, member, upstream, served, expected) => {
  expect(owed(member, upstream, served)).toBe(expected);
});

test.each([
  [{ model: 'gone' }, 'version 1 has no model "gone"'],
  [{ group: 'gone' }, 'version 1 has no group "gone"'],
])('an event of %j cannot be posted', (change, reason) => {
  const result = computePosting(usageEvent(change), snapshotWith({ input: 1 }, '1'));
  expect(result).toEqual({ ok: false, reason });
});

const counts = (max: number): fc.Arbitrary<Counts> =>
  fc.record(Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, fc.nat(max)])), { requiredKeys: [] });
const ratios = fc
  .tuple(fc.nat(999_999), fc.option(fc.stringMatching(/^\d{1,9}$/), { nil: undefined }))
  .map(([whole, places]) => (places === undefined ? String(whole) : `${whole}.${places}`));

test('every cost is the exact sum of tokens times price times ratio, and the entries sum to zero', () => {
  fc.assert(
    fc.property(counts(2 ** 31 - 1), counts(2 ** 31 - 1), ratios, (tokens, prices, ratio) => {
      const { costPico, entries } = posted(tokens, prices, ratio);
      expect(costPico).toBe(expectedCost(tokens, prices, ratio));
      expect(entries.reduce((sum, { amountPico }) => sum + amountPico, 0n)).toBe(0n);
      expect(entries).toHaveLength(costPico === 0n ? 0 : 2);
    }),
  );
});

test('halves are rounded to even, for small amounts too', () => {
  fc.assert(
    fc.property(
      counts(9),
      counts(9),
      fc.constantFrom('0.5', '1.5', '0.25', '0.125'),
      (tokens, prices, ratio) => {
        expect(posted(tokens, prices, ratio).costPico).toBe(expectedCost(tokens, prices, ratio));
      },
    ),
  );
});

test.each<[what: string, marked: boolean | undefined, reported: string | undefined, cost: bigint]>([
  ['is taken where the catalogue says that it is told', true, '7', 7n],
  ['of nothing is taken', true, '0', 0n],
  ['is not taken where the catalogue does not say so', undefined, '7', 23_000_000_000_000n],
  ['that nobody charges is not taken', true, '460000000000001', 23_000_000_000_000n],
  ['of ten times the list price is taken', true, '460000000000000', 460_000_000_000_000n],
  ['that is not there is worked out', true, undefined, 23_000_000_000_000n],
])('a reported cost %s', (_what, reports_cost, upstream_cost_pico, cost) => {
  const snapshot = snapshotWith({ input: 2_000_000_000_000, output: 8_000_000_000_000 }, '0.1');
  snapshot.catalogue.upstreams = [
    upstreamSchema.parse({
      name: 'east',
      base_url: 'https://east.example',
      protocols: ['openai-chat'],
      cost_ratio: '0.5',
      ...(reports_cost === undefined ? {} : { reports_cost }),
    }),
  ];
  const event = usageEvent({
    tokens: { input: 3, output: 5 },
    ...(upstream_cost_pico === undefined ? {} : { upstream_cost_pico }),
  });
  const result = computePosting(event, snapshot);
  // The list price is 46 USD, whatever share of it the group pays.
  expect(result).toMatchObject({ ok: true, value: { costPico: 4_600_000_000_000n, upstreamCostPico: cost } });
});

test('a member of a pool is found by a model that is called like what every object inherits', () => {
  expect(owed({ cost_ratio: '0.5' }, {}, 'constructor', 'constructor')).toBe(500n);
});
