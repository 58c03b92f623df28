import type { TokenKind } from '@tollgate/vocabulary';
import type { PriceList } from './schema.ts';

/** Prices as an admin states them: the two that every model has, and those that differ. */
export type StatedPrices = { readonly input: number; readonly output: number } & Partial<
  Record<TokenKind, number>
>;

interface StatedPriceList {
  readonly prices: StatedPrices;
  readonly tiers: readonly { readonly above_input_tokens: number; readonly prices: StatedPrices }[];
  readonly request_price: number;
}

/** Whose price a kind takes when none is stated, in an order in which each source is known before it is needed. */
const SAME_AS = [
  ['input_audio', 'input'],
  ['input_image', 'input'],
  ['cache_read', 'input'],
  ['cache_write', 'input'],
  ['output_reasoning', 'output'],
  ['output_audio', 'output'],
  ['output_image', 'output'],
] as const satisfies readonly (readonly [TokenKind, TokenKind])[];

/** A price for every kind of token, so that nothing metered is ever without one. */
export function completePrices(stated: StatedPrices): Record<TokenKind, number> {
  const prices: Partial<Record<TokenKind, number>> = { ...stated };
  for (const [kind, source] of SAME_AS) prices[kind] ??= prices[source] ?? 0;
  prices.cache_write_1h ??= longWritePrice(stated.input, prices.cache_write ?? 0);
  return prices as Record<TokenKind, number>;
}

/**
 * Where to write costs more than to read afresh, to write for an hour costs twice the input: at the price for five minutes
 * it would be sold below its cost. Elsewhere nothing is known to be charged for writing.
 */
const longWritePrice = (input: number, write: number): number =>
  write > input ? Math.min(Math.max(write, 2 * input), Number.MAX_SAFE_INTEGER) : write;

/** A price list with a price for every kind in every tier; what a tier leaves out it takes from itself. */
export const completePriceList = ({ prices, tiers, request_price }: StatedPriceList): PriceList => ({
  prices: completePrices(prices),
  tiers: tiers.map((tier) => ({
    above_input_tokens: tier.above_input_tokens,
    prices: completePrices(tier.prices),
  })),
  request_price,
});
