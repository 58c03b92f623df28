import { divideHalfEven, multiplyRatios, PICO_PER_MICRO_USD, type Ratio } from '@tollgate/money';
import {
  AS_TEXT_KIND,
  INPUT_TOKEN_KINDS,
  OUTPUT_TOKEN_KINDS,
  sumTokens,
  type TokenCounts,
  type TokenKind,
} from '@tollgate/vocabulary';

type Prices = Readonly<Partial<Record<TokenKind, number>>>;

/** What usage is priced by: pico-USD per token of each kind, and micro-USD per request. */
export interface PriceTerms {
  readonly prices: Prices;
  /** Ascending by context length: the last tier that the request's input passes prices all of it. */
  readonly tiers: readonly { readonly above_input_tokens: number; readonly prices: Prices }[];
  readonly request_price: number;
}

/** Tokens of one kind, or requests. */
export interface PriceLine {
  readonly kind: TokenKind | 'request';
  readonly quantity: bigint;
  /** Pico-USD for each of them. */
  readonly price: bigint;
}

/** How a charge comes about: what its lines add up to, times the ratios, rounded once. */
interface ExplainedCharge {
  readonly lines: readonly (PriceLine & { readonly amountPico: bigint })[];
  readonly listedPico: bigint;
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
}

/** The most tokens of each side that a request can have. */
interface TokenBound {
  readonly input: number;
  readonly output: number;
  /** Tokens of sound and of drawn pictures cannot be among them. */
  readonly textOnly: boolean;
}

/**
 * What a request costs, in pico-USD: tokens times price over all kinds, plus the price of the request itself, times every
 * ratio; rounded once, half to even.
 *
 * @throws RangeError for a kind without a price, and for counts that are not exact.
 */
export const computeCharge = (tokens: TokenCounts, terms: PriceTerms, ratios: readonly Ratio[]): bigint =>
  applyRatios(sumLines(listChargeLines(tokens, terms)), ratios);

/** As {@link computeCharge}, with every step of it. */
export function explainCharge(
  tokens: TokenCounts,
  terms: PriceTerms,
  ratios: readonly Ratio[],
): ExplainedCharge {
  const lines = listChargeLines(tokens, terms);
  const listedPico = sumLines(lines);
  return {
    lines: lines.map((line) => ({ ...line, amountPico: line.quantity * line.price })),
    listedPico,
    chargedPico: applyRatios(listedPico, ratios),
    tier: findTier(terms, sumTokens(tokens, INPUT_TOKEN_KINDS)),
  };
}

/**
 * No charge is more than this, in pico-USD: the most tokens that a request can have, each at the most that one of its side
 * costs in any tier, and the request itself.
 */
export function computeMaxCharge(
  bound: TokenBound,
  ceilings: PriceCeilings,
  ratios: readonly Ratio[],
): bigint {
  const { input, output } = bound.textOnly ? ceilings.text : ceilings.every;
  const listed = BigInt(bound.input) * input + BigInt(bound.output) * output + ceilings.request;
  return applyRatios(listed, ratios);
}

export function computeCeilings({ prices, tiers, request_price }: PriceTerms): PriceCeilings {
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
  };
}

/** Which tier prices requests of a context length, from 1 on; 0 is the list's own prices. */
export const findTier = ({ tiers }: Pick<PriceTerms, 'tiers'>, contextLength: number): number =>
  tiers.findLastIndex(({ above_input_tokens }) => contextLength > above_input_tokens) + 1;

/**
 * The lines that the tokens of some requests are priced by: a line for each kind that was used, and one for the requests where
 * they have a price.
 *
 * @param tier as {@link findTier} says.
 * @throws RangeError for a kind without a price, for a tier that there is not, and for counts that are not exact.
 */
export function listPriceLines(
  tokens: Readonly<Partial<Record<TokenKind, number | bigint>>>,
  { prices, tiers, request_price }: PriceTerms,
  tier: number,
  requests: bigint,
): PriceLine[] {
  const list = tier === 0 ? prices : tiers[tier - 1]?.prices;
  if (!list) throw new RangeError(`there is no tier ${tier}`);
  const lines: PriceLine[] = [];
  for (const kind of Object.keys(tokens) as TokenKind[]) {
    const quantity = toWhole(tokens[kind] ?? 0);
    if (quantity === 0n) continue;
    const price = list[kind];
    if (price === undefined) throw new RangeError(`there is no price for ${kind}`);
    lines.push({ kind, quantity, price: toWhole(price) });
  }
  const price = priceRequest(request_price);
  if (price > 0n) lines.push({ kind: 'request', quantity: requests, price });
  return lines;
}

/** The context length of a request is everything that was read, from a cache or not. */
const listChargeLines = (tokens: TokenCounts, terms: PriceTerms): PriceLine[] =>
  listPriceLines(tokens, terms, findTier(terms, sumTokens(tokens, INPUT_TOKEN_KINDS)), 1n);

const priceRequest = (requestPrice: number): bigint => toWhole(requestPrice) * PICO_PER_MICRO_USD;

const sumLines = (lines: readonly PriceLine[]): bigint =>
  lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0n);

const ONE: Ratio = { numerator: 1n, scale: 0 };

/** An amount times every ratio: what they give together is rounded once, half to even. */
function applyRatios(pico: bigint, ratios: readonly Ratio[]): bigint {
  const { numerator, scale } = ratios.reduce(multiplyRatios, ONE);
  return divideHalfEven(pico * numerator, 10n ** BigInt(scale));
}

function toWhole(value: number | bigint): bigint {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new RangeError(`a count or price must be a whole number, not ${value}`);
  if (value < 0) throw new RangeError(`a count or price must not be negative: ${value}`);
  return BigInt(value);
}
