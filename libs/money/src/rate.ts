import { charge } from './charge.ts';
import { multiplyRatios, type Ratio } from './ratio.ts';

type Prices = Readonly<Record<string, number>>;

/** What usage is priced by: pico-USD per token by kind, and micro-USD per request. */
export interface RateCard {
  readonly prices: Prices;
  /** Ascending by context length: the last tier that the request's input passes prices all of it. */
  readonly tiers: readonly { readonly above_input_tokens: number; readonly prices: Prices }[];
  readonly request_price: number;
}

const PICO_PER_MICRO = 1_000_000n;
const ONE: Ratio = { numerator: 1n, scale: 0 };

/**
 * What a request costs, in pico-USD: tokens times price over all kinds, plus the price of the request itself, times
 * every ratio; rounded once, half to even.
 *
 * @param tokens counts by kind; every kind but `output…` counts for the context length.
 * @throws RangeError for a kind without a price, and for counts that are not exact.
 */
export function rate(
  tokens: Readonly<Record<string, number | undefined>>,
  card: RateCard,
  ratios: readonly Ratio[],
): bigint {
  const counted = Object.entries(tokens).flatMap(([kind, count]): [string, number][] =>
    count === undefined || count === 0 ? [] : [[kind, count]],
  );
  const prices = pricesFor(card, inputTokens(tokens));
  const lines = counted.map(([kind, count]) => {
    const price = prices[kind];
    if (price === undefined) throw new RangeError(`there is no price for ${kind}`);
    return { tokens: count, price };
  });
  const request = { tokens: 1n, price: BigInt(card.request_price) * PICO_PER_MICRO };
  return charge([...lines, request], ratios.reduce(multiplyRatios, ONE));
}

/** The context length of a request: everything that was read, from a cache or not. */
export const inputTokens = (tokens: Readonly<Record<string, number | undefined>>): number =>
  Object.entries(tokens).reduce(
    (sum, [kind, count = 0]) => (kind.startsWith('output') ? sum : sum + count),
    0,
  );

/** The prices that hold at a context length. */
export const pricesFor = (
  { prices, tiers }: Omit<RateCard, 'request_price'>,
  contextLength: number,
): Prices => tiers.findLast(({ above_input_tokens }) => contextLength > above_input_tokens)?.prices ?? prices;
