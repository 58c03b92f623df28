import { findTokenRatio, listPriceLines, type PriceLine, type PriceTerms } from '@tollgate/catalogue';
import { divideHalfEven, multiplyRatios, parseRatio, type Ratio } from '@tollgate/money';
import { isUnitKind, METER_KIND_NAMES, type MeterKind, type ServiceTier } from '@tollgate/vocabulary';
import { isoTime, type Row } from '../columns.ts';
import { FOCUS_COLUMNS, type FocusRow, QUANTITY_SCALE, UNIT_PRICE_SCALE } from './focus-columns.ts';

/** What a model is priced by, and whose it is. */
export interface FocusPrices extends PriceTerms {
  readonly vendor: string;
}

/** What one model did in requests of one day, account, key and group that were priced alike. */
export interface UsageGroup {
  readonly billingPeriod: { readonly start: string; readonly end: string };
  readonly chargePeriod: { readonly start: string; readonly end: string };
  readonly accountId: string;
  readonly accountName: string | null;
  readonly keyId: string;
  readonly groupName: string;
  readonly model: string;
  readonly serviceTier: ServiceTier;
  readonly region: string | null;
  readonly priceVersion: number;
  readonly groupRatio: string;
  readonly discountRatio: string;
  /** How many tiers of the price list the context length passed; 0 is the list's own prices. */
  readonly tier: number;
  /** How many lines were charged, each rounded once. */
  readonly charges: bigint;
  /** Those of them that are the first of their request. */
  readonly requests: bigint;
  readonly costPico: bigint;
  readonly counts: Readonly<Record<MeterKind, bigint>>;
}

/**
 * A charge for each kind of token and unit, and one for the requests themselves, where they have a price. Billed costs add up
 * to what was booked, to the last pico-USD: what rounding each request has added or taken is on the largest charge.
 *
 * @throws when the books and the price list cannot belong together.
 */
export function focusRows(group: UsageGroup, list: FocusPrices, providerName: string): Row[] {
  const ratio = multiplyRatios(parseRatio(group.groupRatio), parseRatio(group.discountRatio));
  const lines = listLines(group, list);
  const { serviceTier, region } = group;
  const ofTokens = findTokenRatio({ serviceTier, region: region ?? undefined }, list);
  /** What a list price is multiplied by where the vendor served it otherwise than by its standard. */
  const listRatio = ({ kind }: PriceLine) => (kind === 'request' || isUnitKind(kind) ? ONE : ofTokens);
  const costs = lines.map((line) =>
    times(line.quantity * line.price, multiplyRatios(listRatio(line), ratio)),
  );
  const rest = group.costPico - costs.reduce((sum, cost) => sum + cost, 0n);
  const max = group.charges + BigInt(lines.length);
  if (rest > max || rest < -max)
    throw new Error(
      `usage of "${group.model}" of ${isoTime(group.chargePeriod.start)} does not cost what version ${group.priceVersion} says`,
    );
  const largest = costs.reduce((best, cost, index) => (cost > (costs[best] ?? 0n) ? index : best), 0);
  return lines.map((line, index) => {
    const contracted = costs[index] ?? 0n;
    const billed = String(index === largest ? contracted + rest : contracted);
    const row: FocusRow = {
      ...sharedBy(group, list, providerName),
      ...pricedBy(group, list, line, listRatio(line), ratio),
      BilledCost: billed,
      EffectiveCost: billed,
      ContractedCost: String(contracted),
      ListCost: String(times(line.quantity * line.price, listRatio(line))),
    };
    return FOCUS_COLUMNS.map(({ name }) => row[name] ?? null);
  });
}

function listLines(
  { counts, requests, tier, model, priceVersion }: UsageGroup,
  list: FocusPrices,
): PriceLine[] {
  if (tier > list.tiers.length) throw new Error(`version ${priceVersion} has no tier ${tier} of "${model}"`);
  const lines = listPriceLines(counts, list, tier, requests);
  // Requests without tokens or a price of their own are there too, at no cost.
  return lines.length > 0 ? lines : [{ kind: 'request', quantity: requests, price: 0n }];
}

function sharedBy(group: UsageGroup, { vendor }: FocusPrices, providerName: string): FocusRow {
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
    x_Region: group.region,
    x_ServiceTier: group.serviceTier,
    x_VendorName: vendor,
  };
}

function pricedBy(
  group: UsageGroup,
  list: FocusPrices,
  { kind, quantity, price }: PriceLine,
  listRatio: Ratio,
  ratio: Ratio,
): FocusRow {
  const isRequest = kind === 'request';
  const isUnit = !isRequest && isUnitKind(kind);
  const isToken = !isRequest && !isUnit;
  const meter = isRequest ? 'Requests' : METER_KIND_NAMES[kind];
  const unit = isToken ? 'Tokens' : meter;
  const { model, serviceTier, region, tier } = group;
  const above = isToken && tier > 0 ? list.tiers[tier - 1]?.above_input_tokens : undefined;
  const servedAs = isToken && serviceTier !== 'standard' ? serviceTier : undefined;
  const servedIn = isToken ? (region ?? undefined) : undefined;
  const skuId = `${model}/${kind}`;
  // Pico-USD a token is micro-USD a million of them; the price of a request is for one.
  const listUnitPrice = times(price * 10n ** BigInt(UNIT_PRICE_SCALE - (isRequest ? 12 : 6)), listRatio);
  return {
    ChargeDescription: `${model}: ${meter.toLowerCase()}`,
    ConsumedQuantity: String(quantity),
    ConsumedUnit: unit,
    ContractedUnitPrice: String(times(listUnitPrice, ratio)),
    ListUnitPrice: String(listUnitPrice),
    PricingQuantity: String(isRequest ? quantity * 10n ** BigInt(QUANTITY_SCALE) : quantity),
    PricingUnit: isRequest ? 'Requests' : `1000000 ${unit}`,
    SkuId: skuId,
    SkuMeter: meter,
    SkuPriceDetails: JSON.stringify({
      x_ModelName: model,
      x_TokenKind: isToken ? kind : undefined,
      x_UnitKind: isUnit ? kind : undefined,
      x_AboveInputTokens: above,
      x_ServiceTier: servedAs,
      x_Region: servedIn,
    }),
    SkuPriceId: [
      skuId,
      ...(above === undefined ? [] : [`above-${above}`]),
      ...(servedAs === undefined ? [] : [`tier-${servedAs}`]),
      ...(servedIn === undefined ? [] : [`region-${servedIn}`]),
    ].join('/'),
    x_TokenCount: String(isToken ? quantity : 0n),
    x_TokenKind: isToken ? kind : null,
    x_UnitCount: String(isUnit ? quantity : 0n),
    x_UnitKind: isUnit ? kind : null,
  };
}

const ONE: Ratio = { numerator: 1n, scale: 0 };

const times = (value: bigint, { numerator, scale }: Ratio): bigint =>
  divideHalfEven(value * numerator, 10n ** BigInt(scale));
