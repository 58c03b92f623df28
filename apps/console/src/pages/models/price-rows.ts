import {
  COSTLY_FEATURES,
  type CostlyFeature,
  PRICE_SOURCES,
  TOKEN_KINDS,
  type TokenKind,
  UNIT_KINDS,
  type UnitKind,
} from '@tollgate/vocabulary';
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

/** The units that have a price, in the order in which they are always told. */
export const shownUnits = ({ unit_prices }: Pick<PricedModel, 'unit_prices'>): readonly UnitKind[] =>
  UNIT_KINDS.filter((kind) => unit_prices[kind] !== undefined);

/** What a vendor charges beside tokens and this model gives away. */
export const freeFeatures = ({ features }: Pick<PricedModel, 'features'>): readonly CostlyFeature[] =>
  COSTLY_FEATURES.filter((feature) => features[feature] === 'free');
