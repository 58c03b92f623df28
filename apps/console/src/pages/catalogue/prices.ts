import { findDefaultPrice } from '@tollgate/catalogue/complete-prices';
import { PRICE_SOURCES, TOKEN_KINDS, type TokenKind } from '@tollgate/vocabulary';
import { priceTimes } from '../../shared/format.ts';
import type { Prices } from '../../api/catalogue.ts';

/** Those that every model needs, and the one that is stated most. */
export const FIRST_KINDS: readonly TokenKind[] = ['input', 'cache_read', 'output'];
export const OTHER_KINDS = TOKEN_KINDS.filter((kind) => !FIRST_KINDS.includes(kind));

/** Decimal USD per million tokens by kind, as people type it; empty takes the price of another kind. */
export type PriceTexts = Readonly<Record<TokenKind, string>>;

export const emptyPrices = Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, ''])) as PriceTexts;

/** Whole micro-USD as decimal USD: 2500000 is "2.50". */
export const toUsd = (micro: number): string => priceTimes(micro, '1');

const MAX_MICRO = BigInt(Number.MAX_SAFE_INTEGER);

/** Decimal USD as whole micro-USD; undefined for what is none, or finer than a micro-USD. */
export function parseMicro(text: string): number | undefined {
  const match = /^(\d{1,10})(?:\.(\d{1,6})0*)?$/.exec(text.trim());
  if (!match) return undefined;
  const micro = BigInt(match[1] ?? '0') * 1_000_000n + BigInt((match[2] ?? '').padEnd(6, '0'));
  return micro > MAX_MICRO ? undefined : Number(micro);
}

/** Prices as texts; what only repeats the price that it would take anyway is left empty. */
export function toTexts(prices: Prices): PriceTexts {
  const texts: Record<TokenKind, string> = { ...emptyPrices };
  for (const kind of TOKEN_KINDS) {
    const price = prices[kind];
    if (price !== undefined && price !== findDefaultPrice(kind, prices)) texts[kind] = toUsd(price);
  }
  return texts;
}

/** The prices that texts state; those that are empty are left out. */
export function parsePrices(texts: PriceTexts): Prices {
  const stated = TOKEN_KINDS.flatMap((kind): [TokenKind, number][] => {
    const micro = texts[kind].trim() === '' ? undefined : parseMicro(texts[kind]);
    return micro === undefined ? [] : [[kind, micro]];
  });
  return Object.fromEntries(stated);
}

/** Kinds whose text is no price, or that every model needs and that are empty. */
export const wrongKinds = (texts: PriceTexts): readonly TokenKind[] =>
  TOKEN_KINDS.filter((kind) => {
    const isEmpty = texts[kind].trim() === '';
    return isEmpty ? PRICE_SOURCES[kind] === null : parseMicro(texts[kind]) === undefined;
  });
