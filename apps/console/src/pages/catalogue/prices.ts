import { priceTimes } from '../../shared/format.ts';
import type { Prices } from '../../api/catalogue.ts';

export const KINDS = [
  'input',
  'cache_read',
  'output',
  'cache_write',
  'cache_write_1h',
  'input_audio',
  'input_image',
  'output_reasoning',
  'output_audio',
  'output_image',
] as const;
export type Kind = (typeof KINDS)[number];

/** Those that every model needs, and the one that is stated most. */
export const FIRST_KINDS = KINDS.slice(0, 3);
export const OTHER_KINDS = KINDS.slice(3);

/** Whose price a kind takes where none is stated. */
export const SAME_AS: Readonly<Partial<Record<Kind, Kind>>> = {
  cache_read: 'input',
  cache_write: 'input',
  cache_write_1h: 'cache_write',
  input_audio: 'input',
  input_image: 'input',
  output_reasoning: 'output',
  output_audio: 'output',
  output_image: 'output',
};

/** Decimal USD per million tokens by kind, as people type it; empty takes the price of another kind. */
export type PriceTexts = Readonly<Record<Kind, string>>;

export const emptyPrices: PriceTexts = {
  input: '',
  cache_read: '',
  output: '',
  cache_write: '',
  cache_write_1h: '',
  input_audio: '',
  input_image: '',
  output_reasoning: '',
  output_audio: '',
  output_image: '',
};

/** Whole micro-USD as decimal USD: 2500000 is "2.50". */
export const usdOf = (micro: number): string => priceTimes(micro, '1');

const MOST_MICRO = BigInt(Number.MAX_SAFE_INTEGER);

/** Decimal USD as whole micro-USD; undefined for what is none, or finer than a micro-USD. */
export function microOf(text: string): number | undefined {
  const match = /^(\d{1,10})(?:\.(\d{1,6})0*)?$/.exec(text.trim());
  if (!match) return undefined;
  const micro = BigInt(match[1] ?? '0') * 1_000_000n + BigInt((match[2] ?? '').padEnd(6, '0'));
  return micro > MOST_MICRO ? undefined : Number(micro);
}

/** The price of a kind for which none is stated: of writes for an hour twice the input, where any write costs more than it. */
function priceUnstated(kind: Kind, prices: Prices): number | undefined {
  const source = SAME_AS[kind];
  const same = source && prices[source];
  const { input = 0 } = prices;
  return kind === 'cache_write_1h' && same !== undefined && same > input ? Math.max(same, 2 * input) : same;
}

/** Prices as texts; what only repeats the price that it would take anyway is left empty. */
export function textsOf(prices: Prices): PriceTexts {
  const texts: Record<Kind, string> = { ...emptyPrices };
  for (const kind of KINDS) {
    const price = prices[kind];
    if (price !== undefined && price !== priceUnstated(kind, prices)) texts[kind] = usdOf(price);
  }
  return texts;
}

/** The prices that texts state; those that are empty are left out. */
export function pricesOf(texts: PriceTexts): Prices {
  const stated = KINDS.flatMap((kind): [Kind, number][] => {
    const micro = texts[kind].trim() === '' ? undefined : microOf(texts[kind]);
    return micro === undefined ? [] : [[kind, micro]];
  });
  return Object.fromEntries(stated);
}

/** Kinds whose text is no price, or that every model needs and that are empty. */
export const wrongKinds = (texts: PriceTexts): readonly Kind[] =>
  KINDS.filter((kind) => {
    const isEmpty = texts[kind].trim() === '';
    return isEmpty ? SAME_AS[kind] === undefined : microOf(texts[kind]) === undefined;
  });
