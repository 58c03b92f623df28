import { divideHalfEven, parseRatio, PICO_PER_USD } from '@tollgate/money';
import { findOwn } from '@tollgate/vocabulary';
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
  const own = share === null && upstream ? findOwn(upstream.costs, model.name) : undefined;
  // Whoever states no price of a unit or a tier has not said that it costs nothing.
  if (own) return isPriced(usage, own) ? computeCharge(usage, own, []) : null;
  const known = share ?? upstream?.cost_ratio ?? null;
  return known === null ? null : computeCharge(usage, toPriceTerms(model), [parseRatio(known)]);
}

/** No upstream charges so many times the list price. */
const MAX_TIMES_LISTED = 10n;
/** Models that are given away have no list price to compare with. */
const MAX_UNLISTED_PICO = PICO_PER_USD;

/** Whether what an upstream says it charges for a request can be meant, by what the list prices say of that. */
export function isCostCredible(reportedPico: bigint, listedPico: bigint): boolean {
  const times = listedPico * MAX_TIMES_LISTED;
  return reportedPico <= (times > MAX_UNLISTED_PICO ? times : MAX_UNLISTED_PICO);
}

const PICO_PLACES = 12;
/** No answer costs a million USD. */
const MAX_COST_PICO = 10n ** 18n;

/**
 * A cost as upstreams write it, a JSON number of USD, rounded once, half to even, to whole pico-USD. Undefined for what is no
 * amount.
 */
export function parseReportedCost(text: string): bigint | undefined {
  const [, whole = '', places = '', exponent = '0'] =
    /^(\d{1,30})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text) ?? [];
  if (whole === '') return undefined;
  const digits = BigInt(whole + places);
  const shift = PICO_PLACES + Number(exponent) - places.length;
  const pico = shift >= 0 ? digits * 10n ** BigInt(shift) : divideHalfEven(digits, 10n ** BigInt(-shift));
  return pico < MAX_COST_PICO ? pico : undefined;
}
