import { PRICE_SOURCES, TOKEN_KINDS, type TokenKind } from '@tollgate/vocabulary';
import type { PricedModel, Prices } from '../../api/pricing.ts';

const ALWAYS: readonly TokenKind[] = ['input', 'cache_read', 'output'];

/** The kinds of token worth a row: those that every model has, and those with a price of their own somewhere. */
export function shownKinds({ prices, tiers }: Pick<PricedModel, 'prices' | 'tiers'>): readonly TokenKind[] {
  const lists: readonly Prices[] = [prices, ...tiers.map((tier) => tier.prices)];
  const hasOwnPrice = (kind: TokenKind) =>
    lists.some((list) => list[kind] !== list[PRICE_SOURCES[kind] ?? kind]);
  return TOKEN_KINDS.filter(
    (kind) => prices[kind] !== undefined && (ALWAYS.includes(kind) || hasOwnPrice(kind)),
  );
}
