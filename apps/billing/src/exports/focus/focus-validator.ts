/** A row of a FOCUS data set as CSV shows it, by column; null where there is no value. */
export type FocusRecord = Readonly<Record<string, string | null>>;

interface Rule {
  readonly type: 'text' | 'decimal' | 'time';
  readonly nullable: boolean;
  readonly allowed?: readonly string[];
}

const text = (...allowed: string[]): Rule => ({
  type: 'text',
  nullable: false,
  ...(allowed.length > 0 ? { allowed } : {}),
});
const decimal: Rule = { type: 'decimal', nullable: false };
const time: Rule = { type: 'time', nullable: false };
const orNull = (rule: Rule): Rule => ({ ...rule, nullable: true });

/** Columns that FOCUS 1.4 wants in every Cost and Usage data set. */
const MANDATORY: Readonly<Record<string, Rule>> = {
  BilledCost: decimal,
  BillingAccountId: text(),
  BillingAccountName: orNull(text()),
  BillingCurrency: text('USD'),
  BillingPeriodEnd: time,
  BillingPeriodStart: time,
  ChargeCategory: text('Usage', 'Purchase', 'Tax', 'Credit', 'Adjustment'),
  ChargeClass: orNull(text('Correction')),
  ChargeDescription: orNull(text()),
  ChargePeriodEnd: time,
  ChargePeriodStart: time,
  ContractedCost: decimal,
  EffectiveCost: decimal,
  HostProviderName: text(),
  InvoiceIssuerName: text(),
  ListCost: decimal,
  PricingQuantity: orNull(decimal),
  PricingUnit: orNull(text()),
  ServiceCategory: text(
    'AI and Machine Learning',
    'Analytics',
    'Business Applications',
    'Compute',
    'Databases',
    'Developer Tools',
    'Identity',
    'Integration',
    'Internet of Things',
    'Management and Governance',
    'Media',
    'Migration',
    'Mobile',
    'Multicloud',
    'Networking',
    'Other',
    'Security',
    'Storage',
    'Web',
  ),
  ServiceName: text(),
  ServiceProviderName: text(),
};

/** Columns that it wants of a service that meters usage, publishes prices and negotiates them. */
const CONDITIONAL: Readonly<Record<string, Rule>> = {
  ConsumedQuantity: orNull(decimal),
  ConsumedUnit: orNull(text()),
  ContractedUnitPrice: orNull(decimal),
  ListUnitPrice: orNull(decimal),
  SkuId: orNull(text()),
  SkuMeter: orNull(text()),
  SkuPriceDetails: orNull(text()),
  SkuPriceId: orNull(text()),
};

/** Columns that may be left out. */
const OPTIONAL: Readonly<Record<string, Rule>> = {
  ChargeFrequency: text('One-Time', 'Recurring', 'Usage-Based'),
  PricingCategory: orNull(text('Standard', 'Dynamic', 'Committed', 'Other')),
  ServiceSubcategory: text(
    'AI Platforms',
    'Bots',
    'Generative AI',
    'Machine Learning',
    'Natural Language Processing',
    'Other (AI and Machine Learning)',
  ),
};

const RULES = { ...MANDATORY, ...CONDITIONAL, ...OPTIONAL };

/** What a usage or purchase that corrects nothing must state. */
const STATED = [
  'PricingQuantity',
  'PricingUnit',
  'SkuId',
  'SkuPriceId',
  'ListUnitPrice',
  'ContractedUnitPrice',
];
const STATED_OF_USAGE = ['ConsumedQuantity', 'ConsumedUnit'];

const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/** What is wrong with the columns of a data set; empty when nothing is. */
export function focusColumnProblems(columns: readonly string[]): string[] {
  const missing = Object.keys({ ...MANDATORY, ...CONDITIONAL }).filter((name) => !columns.includes(name));
  const unknown = columns.filter((name) => !(name in RULES) && !/^x_[A-Z][A-Za-z0-9]*$/.test(name));
  return [
    ...missing.map((name) => `the column ${name} is missing`),
    ...unknown.map((name) => `${name} is no column of FOCUS and does not begin with x_`),
    ...columns.filter((name) => name.length > 50).map((name) => `the name ${name} is too long`),
    ...columns
      .filter((name, index) => columns.indexOf(name) !== index)
      .map((name) => `${name} is there twice`),
  ];
}

/** What is wrong with a row; empty when nothing is. */
export function focusRowProblems(row: FocusRecord): string[] {
  const problems = Object.entries(RULES)
    .filter(([name]) => name in row)
    .flatMap(([name, rule]) => valueProblems(name, rule, row[name] ?? null));
  // What is calculated below needs values that can be read.
  return problems.length > 0
    ? problems
    : [...presenceProblems(row), ...orderProblems(row), ...costProblems(row)];
}

function valueProblems(name: string, rule: Rule, value: string | null): string[] {
  if (value === null) return rule.nullable ? [] : [`${name} must not be null`];
  if (value === '') return [`${name} must be null or a text, not empty`];
  if (rule.type === 'decimal' && !DECIMAL.test(value)) return [`${name} is no plain decimal: ${value}`];
  if (rule.type === 'time' && !(TIME.test(value) && !Number.isNaN(Date.parse(value))))
    return [`${name} is no time in UTC: ${value}`];
  if (rule.allowed && !rule.allowed.includes(value)) return [`${name} must not be "${value}"`];
  return [];
}

function presenceProblems(row: FocusRecord): string[] {
  const category = row['ChargeCategory'];
  const plain = row['ChargeClass'] === null;
  const required = [
    ...(plain && (category === 'Usage' || category === 'Purchase') ? STATED : []),
    ...(plain && category === 'Usage' ? STATED_OF_USAGE : []),
  ].filter((name) => row[name] === null || row[name] === undefined);
  const unwanted =
    category === 'Tax' || row['SkuPriceId'] === null
      ? [...STATED, ...STATED_OF_USAGE, 'SkuPriceDetails'].filter((name) => name !== 'SkuId' && row[name])
      : [];
  const halves = [
    ['ConsumedQuantity', 'ConsumedUnit'],
    ['PricingQuantity', 'PricingUnit'],
  ] as const;
  return [
    ...required.map((name) => `${name} must not be null for ${category}`),
    ...unwanted.map((name) => `${name} must be null without a SKU price`),
    ...halves
      .filter(([quantity, unit]) => (row[quantity] === null) !== (row[unit] === null))
      .map(([quantity, unit]) => `${quantity} and ${unit} must be null together`),
    ...(row['SkuPriceDetails'] && !isObject(row['SkuPriceDetails'])
      ? ['SkuPriceDetails is no JSON object']
      : []),
  ];
}

function orderProblems(row: FocusRecord): string[] {
  return ['BillingPeriod', 'ChargePeriod']
    .filter((name) => Date.parse(row[`${name}Start`] ?? '') >= Date.parse(row[`${name}End`] ?? ''))
    .map((name) => `${name}End must be after ${name}Start`);
}

/** Costs are prices times quantity, rounded to the pico-USD where the exact product has more places. */
function costProblems(row: FocusRecord): string[] {
  const checks = [
    ['ListCost', 'ListUnitPrice'],
    ['ContractedCost', 'ContractedUnitPrice'],
  ] as const;
  const problems = checks.flatMap(([cost, price]) => {
    const [total, unit, quantity] = [row[cost], row[price], row['PricingQuantity']];
    if (!total || !unit || !quantity) return [];
    if (unit.startsWith('-')) return [`${price} must not be negative`];
    const off = scaled(total, 54) - scaled(unit, 30) * scaled(quantity, 24);
    const pico = 10n ** 42n;
    return off > pico || off < -pico ? [`${cost} is not ${price} times PricingQuantity`] : [];
  });
  const covers = row['ChargeCategory'] === 'Usage' && row['BilledCost'] !== row['EffectiveCost'];
  return covers ? [...problems, 'EffectiveCost must be BilledCost: nothing is paid in advance'] : problems;
}

function scaled(value: string, places: number): bigint {
  const [whole = '0', fraction = ''] = value.split('.');
  return BigInt(whole + fraction.padEnd(places, '0'));
}

function isObject(value: string): boolean {
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}
