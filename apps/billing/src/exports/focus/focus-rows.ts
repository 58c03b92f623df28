import { listPriceLines, type PriceLine, type PriceList } from '@tollgate/catalogue';
import { divideHalfEven, multiplyRatios, parseRatio, type Ratio } from '@tollgate/money';
import { METER_KIND_NAMES, type TokenKind } from '@tollgate/vocabulary';
import { isoTime, type Row } from '../columns.ts';
import { FOCUS_COLUMNS, type FocusRow, QUANTITY_SCALE, UNIT_PRICE_SCALE } from './focus-columns.ts';

/** Requests of one day, account, key, group and model that were priced alike. */
export interface UsageGroup {
  readonly billingPeriod: { readonly start: string; readonly end: string };
  readonly chargePeriod: { readonly start: string; readonly end: string };
  readonly accountId: string;
  readonly accountName: string | null;
  readonly keyId: string;
  readonly groupName: string;
  readonly model: string;
  readonly vendor: string;
  readonly priceVersion: number;
  readonly groupRatio: string;
  readonly discountRatio: string;
  /** How many tiers of the price list the context length passed; 0 is the list's own prices. */
  readonly tier: number;
  readonly requests: bigint;
  readonly costPico: bigint;
  readonly tokens: Readonly<Record<TokenKind, bigint>>;
}

/**
 * A charge for each kind of token and one for the requests themselves, where they have a price. Billed costs add up
 * to what was booked, to the last pico-USD: what rounding each request has added or taken is on the largest charge.
 *
 * @throws when the books and the price list cannot belong together.
 */
export function focusRows(group: UsageGroup, list: PriceList, providerName: string): Row[] {
  const ratio = multiplyRatios(parseRatio(group.groupRatio), parseRatio(group.discountRatio));
  const lines = listLines(group, list);
  const costs = lines.map(({ quantity, price }) => times(quantity * price, ratio));
  const rest = group.costPico - costs.reduce((sum, cost) => sum + cost, 0n);
  const max = group.requests + BigInt(lines.length);
  if (rest > max || rest < -max)
    throw new Error(
      `usage of "${group.model}" of ${isoTime(group.chargePeriod.start)} does not cost what version ${group.priceVersion} says`,
    );
  const largest = costs.reduce((best, cost, index) => (cost > (costs[best] ?? 0n) ? index : best), 0);
  return lines.map((line, index) => {
    const contracted = costs[index] ?? 0n;
    const billed = String(index === largest ? contracted + rest : contracted);
    const row: FocusRow = {
      ...sharedBy(group, providerName),
      ...pricedBy(group, list, line, ratio),
      BilledCost: billed,
      EffectiveCost: billed,
      ContractedCost: String(contracted),
      ListCost: String(line.quantity * line.price),
    };
    return FOCUS_COLUMNS.map(({ name }) => row[name] ?? null);
  });
}

function listLines(
  { tokens, requests, tier, model, priceVersion }: UsageGroup,
  list: PriceList,
): PriceLine[] {
  if (tier > list.tiers.length) throw new Error(`version ${priceVersion} has no tier ${tier} of "${model}"`);
  const lines = listPriceLines(tokens, list, tier, requests);
  // Requests without tokens or a price of their own are there too, at no cost.
  return lines.length > 0 ? lines : [{ kind: 'request', quantity: requests, price: 0n }];
}

function sharedBy(group: UsageGroup, providerName: string): FocusRow {
  return {
    BillingAccountId: group.accountId,
    BillingAccountName: group.accountName,
    BillingCurrency: 'USD',
    BillingPeriodStart: group.billingPeriod.start,
    BillingPeriodEnd: group.billingPeriod.end,
    ChargeCategory: 'Usage',
    ChargeClass: null,
    ChargeFrequency: 'Usage-Based',
    ChargePeriodStart: group.chargePeriod.start,
    ChargePeriodEnd: group.chargePeriod.end,
    HostProviderName: providerName,
    InvoiceIssuerName: providerName,
    PricingCategory: 'Standard',
    ServiceCategory: 'AI and Machine Learning',
    ServiceName: providerName,
    ServiceProviderName: providerName,
    ServiceSubcategory: 'Generative AI',
    x_DiscountRatio: group.discountRatio,
    x_GroupName: group.groupName,
    x_GroupRatio: group.groupRatio,
    x_KeyId: group.keyId,
    x_ModelName: group.model,
    x_PriceVersion: String(group.priceVersion),
    x_VendorName: group.vendor,
  };
}

function pricedBy(group: UsageGroup, list: PriceList, line: PriceLine, ratio: Ratio): FocusRow {
  const { kind, quantity, price } = line;
  const meter = kind === 'request' ? 'Requests' : METER_KIND_NAMES[kind];
  const above =
    group.tier === 0 || kind === 'request' ? undefined : list.tiers[group.tier - 1]?.above_input_tokens;
  const skuId = `${group.model}/${kind}`;
  // Pico-USD a token is micro-USD a million of them; the price of a request is for one.
  const listUnitPrice = price * 10n ** BigInt(UNIT_PRICE_SCALE - (kind === 'request' ? 12 : 6));
  return {
    ChargeDescription: `${group.model}: ${meter.toLowerCase()}`,
    ConsumedQuantity: String(quantity),
    ConsumedUnit: kind === 'request' ? 'Requests' : 'Tokens',
    ContractedUnitPrice: String(times(listUnitPrice, ratio)),
    ListUnitPrice: String(listUnitPrice),
    PricingQuantity: String(kind === 'request' ? quantity * 10n ** BigInt(QUANTITY_SCALE) : quantity),
    PricingUnit: kind === 'request' ? 'Requests' : '1000000 Tokens',
    SkuId: skuId,
    SkuMeter: meter,
    SkuPriceDetails: JSON.stringify({
      x_ModelName: group.model,
      ...(kind === 'request' ? {} : { x_TokenKind: kind }),
      ...(above === undefined ? {} : { x_AboveInputTokens: above }),
    }),
    SkuPriceId: above === undefined ? skuId : `${skuId}/above-${above}`,
    x_TokenCount: String(kind === 'request' ? 0n : quantity),
    x_TokenKind: kind === 'request' ? null : kind,
  };
}

const times = (value: bigint, { numerator, scale }: Ratio): bigint =>
  divideHalfEven(value * numerator, 10n ** BigInt(scale));
