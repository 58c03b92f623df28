import { parseRatio } from '@tollgate/money';
import type { TokenCounts } from '@tollgate/vocabulary';
import { computeCharge } from './price.ts';
import type { Model, PoolMember, Upstream } from './schema.ts';

/**
 * What an upstream charges for tokens of a model, in pico-USD; null where nobody knows. The share of the list price that the
 * member of the pool states comes before the upstream's own price list, and that before the upstream's share.
 */
export function computeUpstreamCost(
  tokens: TokenCounts,
  model: Model,
  upstream: Pick<Upstream, 'costs' | 'cost_ratio'> | undefined,
  member: Pick<PoolMember, 'cost_ratio'> | undefined,
): bigint | null {
  const share = member?.cost_ratio ?? null;
  const own = share === null ? upstream?.costs[model.name] : undefined;
  if (own) return computeCharge(tokens, own, []);
  const known = share ?? upstream?.cost_ratio ?? null;
  return known === null ? null : computeCharge(tokens, model, [parseRatio(known)]);
}
