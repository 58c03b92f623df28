import { METER_KINDS, type MeterKind, TOKEN_KINDS, type TokenKind, UNIT_KINDS } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { snapshotWith } from '../../../testing/usage-events.ts';
import { rateUsage } from '../../usage/posting.ts';
import { toDecimal, shownAs } from '../columns.ts';
import { FOCUS_COLUMNS } from './focus-columns.ts';
import { type FocusPrices, FocusRows, type UsageGroup } from './focus-rows.ts';
import { focusColumnProblems, type FocusRecord, focusRowProblems } from './focus-validator.ts';

const list = {
  vendor: 'acme',
  prices: Object.fromEntries(TOKEN_KINDS.map((kind, index) => [kind, 1_250_001 + index])) as Record<
    TokenKind,
    number
  >,
  tiers: [
    {
      above_input_tokens: 200_000,
      prices: Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, 2_500_000])) as Record<TokenKind, number>,
    },
  ],
  request_price: 0,
  unit_prices: { searches: 10_000_000_000, audio_milliseconds: 100_001 },
  service_tiers: { priority: '1.333' },
  regions: { us: '1.001' },
};
const none = Object.fromEntries(METER_KINDS.map((kind) => [kind, 0n])) as Record<MeterKind, bigint>;

const group = (of: Partial<UsageGroup>): UsageGroup => ({
  billingPeriod: { start: '2026-11-01 00:00:00+00', end: '2026-12-01 00:00:00+00' },
  chargePeriod: { start: '2026-11-01 00:00:00+00', end: '2026-11-02 00:00:00+00' },
  accountId: '0198f1c2-7d1e-7000-8000-000000000001',
  accountName: 'First account',
  keyId: '0198f1c2-7d1e-7000-8000-000000000002',
  groupName: 'default',
  model: 'acme-large',
  serviceTier: 'standard',
  region: null,
  priceVersion: 3,
  groupRatio: '1',
  discountRatio: '1',
  tier: 0,
  charges: 1n,
  requests: 1n,
  costPico: 0n,
  counts: none,
  ...of,
});

const records = (of: UsageGroup, prices: FocusPrices = list): FocusRecord[] =>
  new FocusRows('Tollgate').of(of, prices).map((row) =>
    Object.fromEntries(
      FOCUS_COLUMNS.map((column, index) => {
        const value = row[index] ?? null;
        return [column.name, value === null ? null : shownAs(column, value)];
      }),
    ),
  );

test('each kind of token is a charge of its own, with the price that is published', () => {
  const rows = records(
    group({
      counts: { ...none, input: 8_400_000n, output: 2_100_000n },
      costPico: 8_400_000n * 1_250_001n + 2_100_000n * BigInt(list.prices.output),
    }),
  );
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatchObject({
    BilledCost: '10.5000084',
    ListCost: '10.5000084',
    ListUnitPrice: '1.250001',
    PricingQuantity: '8.4',
    PricingUnit: '1000000 Tokens',
    ConsumedQuantity: '8400000',
    ConsumedUnit: 'Tokens',
    SkuId: 'acme-large/input',
    SkuMeter: 'Input Tokens',
    BillingPeriodStart: '2026-11-01T00:00:00Z',
    BillingPeriodEnd: '2026-12-01T00:00:00Z',
    x_TokenKind: 'input',
  });
  expect(rows[1]).toMatchObject({ SkuMeter: 'Output Tokens', ConsumedQuantity: '2100000' });
});

test('ratios are in contracted prices, not in list prices', () => {
  const [row] = records(
    group({
      groupRatio: '0.5',
      discountRatio: '0.9',
      counts: { ...none, cache_read: 1_000_000n },
      costPico: 562_501_800_000n,
    }),
  );
  expect(row).toMatchObject({
    ListUnitPrice: '1.250004',
    ContractedUnitPrice: '0.5625018',
    ContractedCost: '0.5625018',
    BilledCost: '0.5625018',
    ListCost: '1.250004',
  });
});

test('a tier has prices of its own, and a SKU price of its own', () => {
  const [row] = records(group({ tier: 1, counts: { ...none, input: 10n }, costPico: 25_000_000n }));
  expect(row).toMatchObject({
    ListUnitPrice: '2.5',
    SkuId: 'acme-large/input',
    SkuPriceId: 'acme-large/input/above-200000',
    SkuPriceDetails: '{"x_ModelName":"acme-large","x_TokenKind":"input","x_AboveInputTokens":200000}',
  });
});

test('requests that have a price are a charge beside their tokens', () => {
  const rows = records(
    group({
      charges: 3n,
      requests: 3n,
      counts: { ...none, input: 2n },
      costPico: 2n * 1_250_001n + 3n * 5_000_000_000n,
    }),
    { ...list, request_price: 5_000 },
  );
  expect(rows[1]).toMatchObject({
    ConsumedQuantity: '3',
    ConsumedUnit: 'Requests',
    PricingUnit: 'Requests',
    PricingQuantity: '3',
    ListUnitPrice: '0.005',
    BilledCost: '0.015',
    x_TokenCount: '0',
    x_TokenKind: null,
  });
});

test('requests that cost nothing are there at no cost', () => {
  expect(records(group({ charges: 4n, requests: 4n }))).toMatchObject([
    { BilledCost: '0.00', ConsumedQuantity: '4' },
  ]);
});

test('books that the price list does not explain are refused', () => {
  const wrong = group({ counts: { ...none, input: 10n }, costPico: 13_000_000n });
  expect(() => records(wrong)).toThrow('does not cost what version 3 says');
});

test('groups have the rows that each has alone, whatever was written before them', () => {
  const lists = fc.constantFrom({ ...list, vendor: 'other' }, { ...list, request_price: 7 });
  const groups = fc.record({
    accountId: fc.constantFrom('a', 'b'),
    model: fc.constantFrom('acme-large', 'acme-small'),
    serviceTier: fc.constantFrom('standard' as const, 'priority' as const),
    groupRatio: fc.constantFrom('1', '0.5'),
    discountRatio: fc.constantFrom('1', '0.75'),
    tier: fc.constantFrom(0, 1),
    requests: fc.constantFrom(0n, 2n),
    counts: fc.constantFrom({}, { input: 5n }, { input: 7n, output: 2n, searches: 1n }),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(groups, lists), { maxLength: 40 }), (cases) => {
      const shared = new FocusRows('Tollgate');
      for (const [of, prices] of cases) {
        const used = group({ ...of, charges: 10n ** 30n });
        expect(shared.of(used, prices)).toEqual(new FocusRows('Tollgate').of(used, prices));
      }
    }),
  );
});

test('the second models of requests are rounded each, though they are no requests', () => {
  // Half of an odd price is rounded down a thousand times.
  const charges = 1_000n;
  const rows = records(
    group({
      groupRatio: '0.5',
      charges,
      requests: 0n,
      counts: { ...none, input: charges },
      costPico: charges * 625_000n,
    }),
  );
  expect(rows).toMatchObject([{ ContractedCost: '0.0006250005', BilledCost: '0.000625' }]);
});

test('units are charges of their own, in units of their own, that no tier changes', () => {
  const rows = records(
    group({
      serviceTier: 'priority',
      region: 'us',
      counts: { ...none, input: 1_000_000n, searches: 10n, audio_milliseconds: 60_000n },
      // 1,250,001 micro-USD x 1.333 x 1.001, ten searches, a minute of sound.
      costPico: 1_667_917_584_333n + 100_000_000_000n + 6_000_060_000n,
    }),
  );
  expect(rows).toMatchObject([
    {
      ListUnitPrice: '1.667917584333',
      PricingUnit: '1000000 Tokens',
      SkuPriceId: 'acme-large/input/tier-priority/region-us',
      SkuPriceDetails:
        '{"x_ModelName":"acme-large","x_TokenKind":"input","x_ServiceTier":"priority","x_Region":"us"}',
      x_ServiceTier: 'priority',
      x_Region: 'us',
      x_UnitCount: '0',
    },
    {
      ConsumedQuantity: '60000',
      ConsumedUnit: 'Audio Milliseconds',
      PricingUnit: '1000000 Audio Milliseconds',
      ListCost: '0.00600006',
    },
    {
      BilledCost: '0.10',
      ConsumedQuantity: '10',
      ConsumedUnit: 'Searches',
      ListUnitPrice: '10000',
      PricingUnit: '1000000 Searches',
      SkuMeter: 'Searches',
      SkuPriceId: 'acme-large/searches',
      SkuPriceDetails: '{"x_ModelName":"acme-large","x_UnitKind":"searches"}',
      x_TokenCount: '0',
      x_TokenKind: null,
      x_UnitCount: '10',
      x_UnitKind: 'searches',
    },
  ]);
  expect(rows.flatMap(focusRowProblems)).toEqual([]);
});

test('billed costs add up to what was booked, and every row keeps the rules of FOCUS', () => {
  const counts = fc.record(
    Object.fromEntries([
      ...TOKEN_KINDS.map((kind) => [kind, fc.nat({ max: 300_000 })]),
      ...UNIT_KINDS.map((kind) => [kind, fc.nat({ max: 50 })]),
    ]) as Record<MeterKind, fc.Arbitrary<number>>,
  );
  const ratio = fc.integer({ min: 0, max: 3_000_000_000 }).map((digits) => toDecimal(String(digits), 9));
  const ofTokens = fc.integer({ min: 0, max: 20_000 }).map((digits) => toDecimal(String(digits), 3));
  fc.assert(
    fc.property(
      fc.array(counts, { minLength: 1, maxLength: 30 }),
      fc.tuple(ratio, ratio, ofTokens, ofTokens),
      fc.nat(9),
      fc.constantFrom('standard', 'flex'),
      fc.constantFrom(undefined, 'eu'),
      (requests, [a, b, flex, eu], request_price, serviceTier, region) => {
        const snapshot = snapshotWith(list.prices, a);
        const [model] = snapshot.catalogue.models;
        if (!model) throw new Error('the snapshot has a model');
        const priced = {
          request_price,
          unit_prices: Object.fromEntries(UNIT_KINDS.map((kind, n) => [kind, 10_000_000_007 + n])),
          service_tiers: { flex },
          regions: { eu },
        };
        Object.assign(model, priced);
        snapshot.catalogue.discounts = [{ account_id: 'x', models: ['*'], ratio: b }] as never;
        const costPico = requests.reduce((sum, each) => {
          const rated = rateUsage(
            {
              account_id: 'x',
              group: 'default',
              model: 'm',
              lines: [{ model: 'm', counts: each, service_tier: serviceTier, region }],
              pool: 'main',
              upstream: 'east',
              upstream_model: 'm',
            },
            snapshot,
          );
          if (!rated.ok) throw new Error(rated.reason);
          return sum + rated.value.costPico;
        }, 0n);
        const used = group({
          groupRatio: a,
          discountRatio: b,
          serviceTier,
          region: region ?? null,
          charges: BigInt(requests.length),
          requests: BigInt(requests.length),
          counts: Object.fromEntries(
            METER_KINDS.map((kind) => [kind, requests.reduce((sum, each) => sum + BigInt(each[kind]), 0n)]),
          ) as Record<MeterKind, bigint>,
          costPico,
        });
        const prices = { ...list, ...priced };
        const billed = FOCUS_COLUMNS.findIndex(({ name }) => name === 'BilledCost');
        const total = new FocusRows('Tollgate')
          .of(used, prices)
          .reduce((sum, row) => sum + BigInt(row[billed] ?? ''), 0n);
        expect(total).toBe(costPico);
        expect(records(used, prices).flatMap(focusRowProblems)).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});

test('the columns are those that FOCUS demands', () => {
  expect(focusColumnProblems(FOCUS_COLUMNS.map(({ name }) => name))).toEqual([]);
});
