import type { PricedModel, Prices } from '../../api/pricing.ts';

/** Whose price a kind has unless it is given one of its own. */
const BASE: Readonly<Record<string, string>> = {
  input_audio: 'input',
  input_image: 'input',
  cache_read: 'input',
  cache_write: 'input',
  cache_write_1h: 'cache_write',
  output_reasoning: 'output',
  output_audio: 'output',
  output_image: 'output',
};

const ALWAYS: ReadonlySet<string> = new Set(['input', 'cache_read', 'output']);

/** The kinds of token worth a row: those that every model has, and those with a price of their own somewhere. */
export function shownKinds({ prices, tiers }: Pick<PricedModel, 'prices' | 'tiers'>): readonly string[] {
  const lists: readonly Prices[] = [prices, ...tiers.map((tier) => tier.prices)];
  return Object.keys(prices).filter(
    (kind) => ALWAYS.has(kind) || lists.some((list) => list[kind] !== list[BASE[kind] ?? kind]),
  );
}
