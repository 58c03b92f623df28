import { PRICE_SOURCES, TOKEN_KINDS, type TokenKind } from '@tollgate/vocabulary';

/** Prices as an admin states them: the two that every model has, and those that differ. */
export type PricesInput = { readonly input: number; readonly output: number } & Partial<
  Record<TokenKind, number>
>;

/** A price list as an admin states it. */
interface PriceListInput {
  readonly prices: PricesInput;
  readonly tiers: readonly { readonly above_input_tokens: number; readonly prices: PricesInput }[];
}

/** The price of a kind for which none is stated; undefined where that of its source is not known either. */
export function findDefaultPrice(
  kind: TokenKind,
  prices: Readonly<Partial<Record<TokenKind, number>>>,
): number | undefined {
  const source = PRICE_SOURCES[kind];
  const price = source === null ? undefined : prices[source];
  return kind === 'cache_write_1h' && price !== undefined ? longWritePrice(prices.input ?? 0, price) : price;
}

/**
 * Where to write costs more than to read afresh, to write for an hour costs twice the input: at the price for five minutes
 * it would be sold below its cost. Elsewhere nothing is known to be charged for writing.
 */
const longWritePrice = (input: number, write: number): number =>
  write > input ? Math.min(Math.max(write, 2 * input), Number.MAX_SAFE_INTEGER) : write;

/** A price for every kind of token, so that nothing metered is ever without one. */
export function completePrices(input: PricesInput): Record<TokenKind, number> {
  const prices: Partial<Record<TokenKind, number>> = { ...input };
  for (const kind of TOKEN_KINDS) prices[kind] ??= findDefaultPrice(kind, prices) ?? 0;
  return prices as Record<TokenKind, number>;
}

/** A price list with a price for every kind in every tier; what a tier leaves out it takes from itself. */
export const completePriceList = <T extends PriceListInput>(list: T) => ({
  ...list,
  prices: completePrices(list.prices),
  tiers: list.tiers.map((tier) => ({
    above_input_tokens: tier.above_input_tokens,
    prices: completePrices(tier.prices),
  })),
});
