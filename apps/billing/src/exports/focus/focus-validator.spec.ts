import { FOCUS_COLUMNS } from './focus-columns.ts';
import { focusColumnProblems, type FocusRecord, focusRowProblems } from './focus-validator.ts';

const row: FocusRecord = {
  BilledCost: '1.5',
  BillingAccountId: 'a',
  BillingAccountName: null,
  BillingCurrency: 'USD',
  BillingPeriodEnd: '2026-12-01T00:00:00Z',
  BillingPeriodStart: '2026-11-01T00:00:00Z',
  ChargeCategory: 'Usage',
  ChargeClass: null,
  ChargeDescription: 'm: input tokens',
  ChargePeriodEnd: '2026-11-03T00:00:00Z',
  ChargePeriodStart: '2026-11-02T00:00:00Z',
  ConsumedQuantity: '3000000',
  ConsumedUnit: 'Tokens',
  ContractedCost: '1.5',
  ContractedUnitPrice: '0.5',
  EffectiveCost: '1.5',
  HostProviderName: 'Tollgate',
  InvoiceIssuerName: 'Tollgate',
  ListCost: '3',
  ListUnitPrice: '1',
  PricingQuantity: '3',
  PricingUnit: '1000000 Tokens',
  ServiceCategory: 'AI and Machine Learning',
  ServiceName: 'Tollgate',
  ServiceProviderName: 'Tollgate',
  ServiceSubcategory: 'Generative AI',
  SkuId: 'm/input',
  SkuMeter: 'Input Tokens',
  SkuPriceDetails: '{"x_TokenKind":"input"}',
  SkuPriceId: 'm/input',
};

test('a row that keeps all rules has no problems', () => {
  expect(focusRowProblems(row)).toEqual([]);
});

test.each<[FocusRecord, string]>([
  [{ BilledCost: null }, 'BilledCost must not be null'],
  [{ BilledCost: '1e3' }, 'BilledCost is no plain decimal: 1e3'],
  [{ BilledCost: '1,5' }, 'BilledCost is no plain decimal: 1,5'],
  [{ BilledCost: '+1.5' }, 'BilledCost is no plain decimal: +1.5'],
  [{ BillingAccountId: '' }, 'BillingAccountId must be null or a text, not empty'],
  [{ BillingCurrency: 'usd' }, 'BillingCurrency must not be "usd"'],
  [
    { ChargePeriodStart: '2026-11-02T00:00:00+01:00' },
    'ChargePeriodStart is no time in UTC: 2026-11-02T00:00:00+01:00',
  ],
  [{ ChargePeriodEnd: '2026-13-02T00:00:00Z' }, 'ChargePeriodEnd is no time in UTC: 2026-13-02T00:00:00Z'],
  [{ ChargePeriodEnd: '2026-11-02T00:00:00Z' }, 'ChargePeriodEnd must be after ChargePeriodStart'],
  [{ ChargeCategory: 'usage' }, 'ChargeCategory must not be "usage"'],
  [{ ServiceCategory: 'AI' }, 'ServiceCategory must not be "AI"'],
  [{ ServiceSubcategory: 'LLM' }, 'ServiceSubcategory must not be "LLM"'],
  [{ ListUnitPrice: null }, 'ListUnitPrice must not be null for Usage'],
  [{ ConsumedQuantity: null, ConsumedUnit: null }, 'ConsumedQuantity must not be null for Usage'],
  [{ SkuPriceDetails: '[]' }, 'SkuPriceDetails is no JSON object'],
  [{ ListCost: '3.1' }, 'ListCost is not ListUnitPrice times PricingQuantity'],
  [{ ContractedCost: '1.500000000002' }, 'ContractedCost is not ContractedUnitPrice times PricingQuantity'],
  [{ ListUnitPrice: '-1', ListCost: '-3' }, 'ListUnitPrice must not be negative'],
  [{ EffectiveCost: '1' }, 'EffectiveCost must be BilledCost: nothing is paid in advance'],
])('%j is a problem: %s', (change, problem) => {
  expect(focusRowProblems({ ...row, ...change })).toContain(problem);
});

test('a tax has no SKU price and needs none', () => {
  const nothing = Object.fromEntries(
    [
      'ConsumedQuantity',
      'ConsumedUnit',
      'ContractedUnitPrice',
      'ListUnitPrice',
      'PricingQuantity',
      'PricingUnit',
      'SkuId',
      'SkuMeter',
      'SkuPriceDetails',
      'SkuPriceId',
    ].map((name) => [name, null]),
  );
  expect(focusRowProblems({ ...row, ...nothing, ChargeCategory: 'Tax' })).toEqual([]);
  expect(focusRowProblems({ ...row, ChargeCategory: 'Tax' })).toContain(
    'ListUnitPrice must be null without a SKU price',
  );
});

test('a column that is missing, unknown or there twice is a problem', () => {
  const names = FOCUS_COLUMNS.map(({ name }) => name);
  expect(focusColumnProblems(names.filter((name) => name !== 'BilledCost'))).toEqual([
    'the column BilledCost is missing',
  ]);
  expect(focusColumnProblems([...names, 'Margin', 'x_margin'])).toEqual([
    'Margin is no column of FOCUS and does not begin with x_',
    'x_margin is no column of FOCUS and does not begin with x_',
  ]);
  expect(focusColumnProblems([...names, 'SkuId'])).toEqual(['SkuId is there twice']);
});
