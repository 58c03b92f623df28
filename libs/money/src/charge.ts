import { divideHalfEven, type Ratio } from './ratio.ts';

/** Tokens of one kind at one price; the price in micro-USD per million tokens, which is pico-USD per token. */
interface PricedTokens {
  readonly tokens: number | bigint;
  readonly price: number | bigint;
}

/**
 * What a usage line costs, in pico-USD: the sum of tokens times price, times the ratio, rounded once, half to even.
 *
 * @throws RangeError for a count or price that is negative, broken or too large to be exact.
 */
export function charge(lines: Iterable<PricedTokens>, ratio: Ratio): bigint {
  let sum = 0n;
  for (const { tokens, price } of lines) sum += whole(tokens, 'token count') * whole(price, 'price');
  return divideHalfEven(sum * ratio.numerator, 10n ** BigInt(ratio.scale));
}

function whole(value: number | bigint, what: string): bigint {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new RangeError(`a ${what} must be a whole number, not ${value}`);
  if (value < 0) throw new RangeError(`a ${what} must not be negative: ${value}`);
  return BigInt(value);
}
