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
  readonly counts: Readonly<Partial<Record<MeterKind, bigint>>>;
}

/** How groups that are priced alike are charged for one kind of token or unit, or for requests. */
interface Charging {
  /** The columns that are the same for all of them. */
  readonly row: Row;
  readonly price: bigint;
  readonly list: Factor;
  readonly contracted: Factor;
  readonly isRequest: boolean;
  readonly isToken: boolean;
}

interface Charged {
  readonly line: PriceLine;
  readonly charging: Charging;
  /** Before what rounding has added to the costs of its group. */
  readonly cost: bigint;
}

type Kind = PriceLine['kind'];
/** What groups that have it in common are charged alike by. */
interface Priced {
  readonly group: UsageGroup;
  readonly list: FocusPrices;
  readonly charging: Map<Kind, Charging>;
}

/** So many ways of charging are held: a day has few. */
const PRICED_MAX = 500;

/** Writes the charges of groups. What is the same for groups that are priced alike is written once for them. */
export class FocusRows {
  readonly #providerName: string;
  readonly #priced = new Map<string, Priced>();

  constructor(providerName: string) {
    this.#providerName = providerName;
  }

  /**
   * A charge for each kind of token and unit, and one for the requests themselves, where they have a price. Billed costs add up
   * to what was booked, to the last pico-USD: what rounding each request has added or taken is on the largest charge.
   *
   * @param list is the same one for all groups of a version and model.
   * @throws when the books and the price list cannot belong together.
   */
  of(group: UsageGroup, list: FocusPrices): Row[] {
    const priced = this.#findPriced(group, list);
    const lines = listLines(group, list);
    let rest = group.costPico;
    const charged = lines.map((line): Charged => {
      const charging = this.#findCharging(priced, line);
      const cost = times(line.quantity * line.price, charging.contracted);
      rest -= cost;
      return { line, charging, cost };
    });
    const max = group.charges + BigInt(lines.length);
    if (rest > max || rest < -max)
      throw new Error(
        `usage of "${group.model}" of ${isoTime(group.chargePeriod.start)} does not cost what version ${group.priceVersion} says`,
      );
    const largest = charged.reduce(
      (best, { cost }, index) => (cost > (charged[best]?.cost ?? 0n) ? index : best),
      0,
    );
    return charged.map((each, index) => toRow(group, each, index === largest ? rest : 0n));
  }

  #findPriced(group: UsageGroup, list: FocusPrices): Priced {
    const { priceVersion, tier, serviceTier, groupRatio, discountRatio, groupName, model } = group;
    const ofList = `${priceVersion} ${tier} ${serviceTier} ${groupRatio} ${discountRatio}`;
    // No name of the catalogue is empty or has a space in it.
    const key = `${ofList} ${groupName} ${model} ${group.region ?? ''}`;
    const found = this.#priced.get(key);
    if (found?.list === list) return found;
    if (this.#priced.size >= PRICED_MAX) this.#priced.clear();
    const priced = { group, list, charging: new Map<Kind, Charging>() };
    this.#priced.set(key, priced);
    return priced;
  }

  #findCharging({ group, list, charging }: Priced, line: PriceLine): Charging {
    const found = charging.get(line.kind);
    // Requests without a price of their own may be there beside some that have one.
    if (found?.price === line.price) return found;
    const made = toCharging(group, list, line, this.#providerName);
    charging.set(line.kind, made);
    return made;
  }
}

function toCharging(group: UsageGroup, list: FocusPrices, line: PriceLine, providerName: string): Charging {
  const { serviceTier, region } = group;
  const isRequest = line.kind === 'request';
  const isToken = line.kind !== 'request' && !isUnitKind(line.kind);
  const ratio = multiplyRatios(parseRatio(group.groupRatio), parseRatio(group.discountRatio));
  const ofTokens = findTokenRatio({ serviceTier, region: region ?? undefined }, list);
  /** What a list price is multiplied by where the vendor served it otherwise than by its standard. */
  const listRatio = isToken ? ofTokens : ONE;
  const row: FocusRow = {
    ...SAME_FOR_ALL,
    ...namedBy(group, list, providerName),
    ...pricedBy(group, list, line, toFactor(listRatio), toFactor(ratio)),
  };
  return {
    row: FOCUS_COLUMNS.map(({ name }) => row[name] ?? null),
    price: line.price,
    list: toFactor(listRatio),
    contracted: toFactor(multiplyRatios(listRatio, ratio)),
    isRequest,
    isToken,
  };
}

const placeOf = (name: string): number => FOCUS_COLUMNS.findIndex((column) => column.name === name);
/** Where the columns are that a row has for itself. */
const AT = {
  accountId: placeOf('BillingAccountId'),
  accountName: placeOf('BillingAccountName'),
  billingStart: placeOf('BillingPeriodStart'),
  billingEnd: placeOf('BillingPeriodEnd'),
  chargeStart: placeOf('ChargePeriodStart'),
  chargeEnd: placeOf('ChargePeriodEnd'),
  keyId: placeOf('x_KeyId'),
  consumed: placeOf('ConsumedQuantity'),
  priced: placeOf('PricingQuantity'),
  tokens: placeOf('x_TokenCount'),
  units: placeOf('x_UnitCount'),
  billed: placeOf('BilledCost'),
  effective: placeOf('EffectiveCost'),
  contracted: placeOf('ContractedCost'),
  listed: placeOf('ListCost'),
};

/** @param rest what rounding has added to the costs of the group, or taken, where that is on this row. */
function toRow(group: UsageGroup, { line, charging, cost }: Charged, rest: bigint): Row {
  const { quantity, price } = line;
  const row = charging.row.slice();
  row[AT.accountId] = group.accountId;
  row[AT.accountName] = group.accountName;
  row[AT.billingStart] = group.billingPeriod.start;
  row[AT.billingEnd] = group.billingPeriod.end;
  row[AT.chargeStart] = group.chargePeriod.start;
  row[AT.chargeEnd] = group.chargePeriod.end;
  row[AT.keyId] = group.keyId;
  const count = String(quantity);
  row[AT.consumed] = count;
  row[AT.priced] = charging.isRequest ? String(quantity * 10n ** BigInt(QUANTITY_SCALE)) : count;
  row[AT.tokens] = charging.isToken ? count : '0';
  row[AT.units] = charging.isToken || charging.isRequest ? '0' : count;
  const contracted = String(cost);
  const billed = rest === 0n ? contracted : String(cost + rest);
  row[AT.billed] = billed;
  row[AT.effective] = billed;
  row[AT.contracted] = contracted;
  row[AT.listed] = String(times(quantity * price, charging.list));
  return row;
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

const SAME_FOR_ALL: FocusRow = {
  BillingCurrency: 'USD',
  ChargeCategory: 'Usage',
  ChargeClass: null,
  ChargeFrequency: 'Usage-Based',
  PricingCategory: 'Standard',
  ServiceCategory: 'AI and Machine Learning',
  ServiceSubcategory: 'Generative AI',
};

const namedBy = (group: UsageGroup, { vendor }: FocusPrices, providerName: string): FocusRow => ({
  HostProviderName: providerName,
  InvoiceIssuerName: providerName,
  ServiceName: providerName,
  ServiceProviderName: providerName,
  x_DiscountRatio: group.discountRatio,
  x_GroupName: group.groupName,
  x_GroupRatio: group.groupRatio,
  x_ModelName: group.model,
  x_PriceVersion: String(group.priceVersion),
  x_Region: group.region,
  x_ServiceTier: group.serviceTier,
  x_VendorName: vendor,
});

function pricedBy(
  group: UsageGroup,
  list: FocusPrices,
  { kind, price }: PriceLine,
  listRatio: Factor,
  ratio: Factor,
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
    ConsumedUnit: unit,
    ContractedUnitPrice: String(times(listUnitPrice, ratio)),
    ListUnitPrice: String(listUnitPrice),
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
    x_TokenKind: isToken ? kind : null,
    x_UnitKind: isUnit ? kind : null,
  };
}

const ONE: Ratio = { numerator: 1n, scale: 0 };

/** A ratio whose denominator is known. */
interface Factor {
  readonly numerator: bigint;
  readonly denominator: bigint;
}
const toFactor = ({ numerator, scale }: Ratio): Factor => ({ numerator, denominator: 10n ** BigInt(scale) });

const times = (value: bigint, { numerator, denominator }: Factor): bigint => {
  const product = numerator === 1n ? value : value * numerator;
  return denominator === 1n ? product : divideHalfEven(product, denominator);
};
