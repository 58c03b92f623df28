import type { TokenKind } from '@tollgate/contracts';

/** Prices as an admin states them: the two that every model has, and those that differ. */
export type StatedPrices = { readonly input: number; readonly output: number } & Partial<
  Record<TokenKind, number>
>;

/** Whose price a kind takes when none is stated, in an order in which each source is known before it is needed. */
const SAME_AS = [
  ['input_audio', 'input'],
  ['input_image', 'input'],
  ['cache_read', 'input'],
  ['cache_write', 'input'],
  ['cache_write_1h', 'cache_write'],
  ['output_reasoning', 'output'],
  ['output_audio', 'output'],
  ['output_image', 'output'],
] as const satisfies readonly (readonly [TokenKind, TokenKind])[];

/** A price for every kind of token, so that nothing metered is ever without one. */
export function completePrices(stated: StatedPrices): Record<TokenKind, number> {
  const prices: Partial<Record<TokenKind, number>> = { ...stated };
  for (const [kind, source] of SAME_AS) prices[kind] ??= prices[source] ?? 0;
  return prices as Record<TokenKind, number>;
}
