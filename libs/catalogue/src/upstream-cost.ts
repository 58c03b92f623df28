import { parseRatio } from '@tollgate/money';
import { computeCharge, isPriced, type PricedUsage } from './price.ts';
import type { Model, PoolMember, Upstream } from './schema.ts';
import { toPriceTerms } from './unit-prices.ts';

/**
 * What an upstream charges for what a model did, in pico-USD; null where nobody knows. The share of the list price that the
 * member of the pool states comes before the upstream's own price list, and that before the upstream's share.
 */
export function computeUpstreamCost(
  usage: PricedUsage,
  model: Model,
  upstream: Pick<Upstream, 'costs' | 'cost_ratio'> | undefined,
  member: Pick<PoolMember, 'cost_ratio'> | undefined,
): bigint | null {
  const share = member?.cost_ratio ?? null;
  const own = share === null ? upstream?.costs[model.name] : undefined;
  // Whoever states no price of a unit or a tier has not said that it costs nothing.
  if (own) return isPriced(usage, own) ? computeCharge(usage, own, []) : null;
  const known = share ?? upstream?.cost_ratio ?? null;
  return known === null ? null : computeCharge(usage, toPriceTerms(model), [parseRatio(known)]);
}
