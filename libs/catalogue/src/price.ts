import { divideHalfEven, multiplyRatios, parseRatio, PICO_PER_MICRO_USD, type Ratio } from '@tollgate/money';
import {
  AS_TEXT_KIND,
  type CostlyFeature,
  type Counts,
  type FeatureTerms,
  findOwn,
  INPUT_TOKEN_KINDS,
  isUnitKind,
  type MeterKind,
  OUTPUT_TOKEN_KINDS,
  type ServiceTier,
  sumTokens,
  type TokenKind,
  UNIT_KINDS,
  type UnitKind,
} from '@tollgate/vocabulary';

type Prices = Readonly<Partial<Record<TokenKind, number>>>;

/** What usage is priced by: pico-USD per token and unit of each kind, and micro-USD per request. */
export interface PriceTerms {
  readonly prices: Prices;
  /** Ascending by context length: the last tier that the request's input passes prices all of it. */
  readonly tiers: readonly { readonly above_input_tokens: number; readonly prices: Prices }[];
  readonly request_price: number;
  readonly unit_prices?: Readonly<Partial<Record<UnitKind, number>>> | undefined;
  /** Ratios of the tokens' prices in the vendor's service tiers; the standard one is what the list says. */
  readonly service_tiers?: Readonly<Partial<Record<ServiceTier, string>>> | undefined;
  /** Ratios of the tokens' prices in regions that the vendor prices apart. */
  readonly regions?: Readonly<Record<string, string>> | undefined;
  /** What costs nothing where it is `free`, though no price is stated. */
  readonly features?: Readonly<Partial<Record<CostlyFeature, FeatureTerms>>> | undefined;
}

/** What one model did in one request. */
export interface PricedUsage {
  readonly counts: Readonly<Counts>;
  /** The standard one where it is absent. */
  readonly serviceTier?: ServiceTier | undefined;
  /** None with prices of its own where it is absent. */
  readonly region?: string | undefined;
  /** False for the second model of a request, whose price is on the line of the first. */
  readonly isRequest?: boolean | undefined;
}

/** Tokens or units of one kind, or requests. */
export interface PriceLine {
  readonly kind: MeterKind | 'request';
  readonly quantity: bigint;
  /** Pico-USD for each of them. */
  readonly price: bigint;
}

/**
 * How a charge comes about: what its lines add up to, those of tokens times the ratio of the service tier and the region, all
 * of it times the other ratios, rounded once.
 */
interface ExplainedCharge {
  readonly lines: readonly (PriceLine & { readonly amountPico: bigint })[];
  /** Of the service tier and the region, for the lines of tokens alone. */
  readonly tokenRatio: Ratio;
  /** The sum of the lines in pico-USD, those of tokens times their ratio, before any other: there may be places beyond. */
  readonly listed: Ratio;
  readonly chargedPico: bigint;
  /** The tier that prices the request, from 1 on; 0 is the list's own prices. */
  readonly tier: number;
}

/** The most that a token of each side costs, in pico-USD, over the tiers of a price list. */
interface PriceCeiling {
  readonly input: bigint;
  readonly output: bigint;
}

export interface PriceCeilings {
  /** Of requests without sound and drawn pictures. */
  readonly text: PriceCeiling;
  /** Over every kind of token. */
  readonly every: PriceCeiling;
  /** Of the request itself. */
  readonly request: bigint;
  /** Of one unit of each kind. */
  readonly units: Readonly<Partial<Record<UnitKind, bigint>>>;
  readonly serviceTiers: Readonly<Partial<Record<ServiceTier, Ratio>>>;
  readonly regions: Readonly<Record<string, Ratio>>;
}

/** The most that a request can have. */
interface ChargeBound {
  readonly input: number;
  readonly output: number;
  /** Tokens of sound and of drawn pictures cannot be among them. */
  readonly textOnly: boolean;
  readonly units?: Readonly<Partial<Record<UnitKind, number>>> | undefined;
  /** In which it may be served beside the standard one. */
  readonly serviceTiers?: readonly ServiceTier[] | undefined;
  /** Where it may be served at a price apart. */
  readonly region?: string | undefined;
}

/**
 * What a request costs of one model, in pico-USD: tokens times price over all kinds, times the ratios of its service tier and
 * its region, plus units times price and the price of the request itself; all of it times every ratio, rounded once, half to
 * even.
 *
 * @throws RangeError for a kind, a service tier or a region without a price, and for counts that are not exact.
 */
export function computeCharge(usage: PricedUsage, terms: PriceTerms, ratios: readonly Ratio[]): bigint {
  return applyRatios(sumLines(listChargeLines(usage, terms)), findTokenRatio(usage, terms), ratios);
}

/** As {@link computeCharge}, with every step of it. */
export function explainCharge(
  usage: PricedUsage,
  terms: PriceTerms,
  ratios: readonly Ratio[],
): ExplainedCharge {
  const lines = listChargeLines(usage, terms);
  const sums = sumLines(lines);
  const tokenRatio = findTokenRatio(usage, terms);
  return {
    lines: lines.map((line) => ({ ...line, amountPico: line.quantity * line.price })),
    tokenRatio,
    listed: addUp(sums, tokenRatio),
    chargedPico: applyRatios(sums, tokenRatio, ratios),
    tier: findTier(terms, sumTokens(usage.counts, INPUT_TOKEN_KINDS)),
  };
}

/**
 * No charge is more than this, in pico-USD: the most tokens that a request can have, each at the most that one of its side
 * costs in any tier, in the most expensive way in which it may be served; the most units; and the request itself.
 */
export function computeMaxCharge(
  bound: ChargeBound,
  ceilings: PriceCeilings,
  ratios: readonly Ratio[],
): bigint {
  const { input, output } = bound.textOnly ? ceilings.text : ceilings.every;
  const tokens = BigInt(bound.input) * input + BigInt(bound.output) * output;
  let others = ceilings.request;
  for (const kind of UNIT_KINDS) {
    const count = bound.units?.[kind];
    if (count) others += toWhole(count) * (ceilings.units[kind] ?? 0n);
  }
  const ofTiers = (bound.serviceTiers ?? []).map((tier) => ceilings.serviceTiers[tier] ?? ONE);
  const ofRegion = (bound.region === undefined ? undefined : findOwn(ceilings.regions, bound.region)) ?? ONE;
  const ofTier = ofTiers.reduce(higherRatio, ONE);
  return applyRatios({ tokens, others }, multiplyRatios(ofTier, higherRatio(ofRegion, ONE)), ratios);
}

export function computeCeilings(terms: PriceTerms): PriceCeilings {
  const { prices, tiers, request_price, unit_prices = {}, service_tiers = {}, regions = {} } = terms;
  const lists = [prices, ...tiers.map((tier) => tier.prices)];
  const highest = (kinds: readonly TokenKind[]): bigint =>
    toWhole(Math.max(0, ...lists.flatMap((list) => kinds.map((kind) => list[kind] ?? 0))));
  const isText = (kind: TokenKind) => AS_TEXT_KIND[kind] === undefined;
  return {
    text: {
      input: highest(INPUT_TOKEN_KINDS.filter(isText)),
      output: highest(OUTPUT_TOKEN_KINDS.filter(isText)),
    },
    every: { input: highest(INPUT_TOKEN_KINDS), output: highest(OUTPUT_TOKEN_KINDS) },
    request: priceRequest(request_price),
    units: mapValues(unit_prices, toWhole),
    serviceTiers: mapValues(service_tiers, parseRatio),
    regions: mapValues(regions, parseRatio),
  };
}

/** Which tier prices requests of a context length, from 1 on; 0 is the list's own prices. */
export const findTier = ({ tiers }: Pick<PriceTerms, 'tiers'>, contextLength: number): number =>
  tiers.findLastIndex(({ above_input_tokens }) => contextLength > above_input_tokens) + 1;

/**
 * The lines that the tokens and units of some requests are priced by: a line for each kind that was used, and one for the
 * requests where they have a price.
 *
 * @param tier as {@link findTier} says.
 * @throws RangeError for a kind without a price, for a tier that there is not, and for counts that are not exact.
 */
export function listPriceLines(
  counts: Readonly<Partial<Record<MeterKind, number | bigint>>>,
  { prices, tiers, request_price, unit_prices }: PriceTerms,
  tier: number,
  requests: bigint,
): PriceLine[] {
  const list = tier === 0 ? prices : tiers[tier - 1]?.prices;
  if (!list) throw new RangeError(`there is no tier ${tier}`);
  const lines: PriceLine[] = [];
  for (const kind of Object.keys(counts) as MeterKind[]) {
    const quantity = toWhole(counts[kind] ?? 0);
    if (quantity === 0n) continue;
    const price = isUnitKind(kind) ? unit_prices?.[kind] : list[kind];
    if (price === undefined) throw new RangeError(`there is no price for ${kind}`);
    lines.push({ kind, quantity, price: toWhole(price) });
  }
  const price = priceRequest(request_price);
  if (price > 0n && requests > 0n) lines.push({ kind: 'request', quantity: requests, price });
  return lines;
}

/** Whether a list has a price for all of some usage. */
export const isPriced = (
  { counts, serviceTier = 'standard', region }: PricedUsage,
  terms: PriceTerms,
): boolean =>
  (serviceTier === 'standard' || terms.service_tiers?.[serviceTier] !== undefined) &&
  (region === undefined || (terms.regions !== undefined && Object.hasOwn(terms.regions, region))) &&
  (Object.keys(counts) as MeterKind[]).every(
    (kind) =>
      !counts[kind] || (isUnitKind(kind) ? terms.unit_prices?.[kind] : terms.prices[kind]) !== undefined,
  );

/** The context length of a request is everything that was read, from a cache or not. */
const listChargeLines = ({ counts, isRequest = true }: PricedUsage, terms: PriceTerms): PriceLine[] =>
  listPriceLines(counts, terms, findTier(terms, sumTokens(counts, INPUT_TOKEN_KINDS)), isRequest ? 1n : 0n);

/**
 * What the price of a token is multiplied by where a vendor served it otherwise than by its standard.
 *
 * @throws RangeError for a service tier or a region without a price.
 */
export function findTokenRatio(
  { serviceTier = 'standard', region }: Pick<PricedUsage, 'serviceTier' | 'region'>,
  { service_tiers, regions, features }: Pick<PriceTerms, 'service_tiers' | 'regions' | 'features'>,
): Ratio {
  let ratio = ONE;
  if (serviceTier !== 'standard') {
    // Nothing is held for what is free: whatever the list says of it, it costs nothing more.
    const isFree = features?.[serviceTier === 'fast' ? 'speed' : 'service_tier'] === 'free';
    const ofTier = isFree ? '1' : service_tiers?.[serviceTier];
    if (ofTier === undefined) throw new RangeError(`there is no price for the service tier ${serviceTier}`);
    ratio = parseRatio(ofTier);
  }
  if (region === undefined) return ratio;
  const isFree = features?.inference_geo === 'free';
  const ofRegion = isFree ? '1' : findOwn(regions ?? {}, region);
  if (ofRegion === undefined) throw new RangeError(`there is no price for the region ${region}`);
  return multiplyRatios(ratio, parseRatio(ofRegion));
}

const priceRequest = (requestPrice: number): bigint => toWhole(requestPrice) * PICO_PER_MICRO_USD;

/** What ratios of service tiers and regions change, and what they do not. */
interface Sums {
  readonly tokens: bigint;
  readonly others: bigint;
}

function sumLines(lines: readonly PriceLine[]): Sums {
  let tokens = 0n;
  let others = 0n;
  for (const { kind, quantity, price } of lines)
    if (kind === 'request' || isUnitKind(kind)) others += quantity * price;
    else tokens += quantity * price;
  return { tokens, others };
}

const ONE: Ratio = { numerator: 1n, scale: 0 };

export const higherRatio = (a: Ratio, b: Ratio): Ratio =>
  a.numerator * 10n ** BigInt(b.scale) > b.numerator * 10n ** BigInt(a.scale) ? a : b;

const addUp = ({ tokens, others }: Sums, ofTokens: Ratio): Ratio =>
  ofTokens === ONE
    ? { numerator: tokens + others, scale: 0 }
    : {
        numerator: tokens * ofTokens.numerator + others * 10n ** BigInt(ofTokens.scale),
        scale: ofTokens.scale,
      };

/** An amount times every ratio: what they give together is rounded once, half to even. */
function applyRatios(sums: Sums, ofTokens: Ratio, ratios: readonly Ratio[]): bigint {
  const { numerator, scale } = ratios.reduce(multiplyRatios, addUp(sums, ofTokens));
  return divideHalfEven(numerator, 10n ** BigInt(scale));
}

const mapValues = <V, R>(values: Readonly<Record<string, V>>, map: (value: V) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));

function toWhole(value: number | bigint): bigint {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new RangeError(`a count or price must be a whole number, not ${value}`);
  if (value < 0) throw new RangeError(`a count or price must not be negative: ${value}`);
  return BigInt(value);
}
