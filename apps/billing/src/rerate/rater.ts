import type { PriceSnapshot } from '@tollgate/catalogue';
import { rateUsage } from '../usage/posting.ts';
import type { BookedUsage } from './usage-rows.ts';

/** What usage costs the customer by other prices, in pico-USD; null where these have no price for it. */
export type Rater = (usage: Omit<BookedUsage, 'costPico' | 'counts'>) => bigint | null;

/**
 * Prices usage as posting does, by one snapshot. For each account, group and model the catalogue is searched once: what
 * is left is the part of it that their price depends on.
 */
export function raterFor(snapshot: PriceSnapshot): Rater {
  const narrowed = new Map<string, Map<string, Map<string, PriceSnapshot>>>();
  const withDiscounts = new Set(snapshot.catalogue.discounts.map(({ account_id }) => account_id));
  return ({ accountId, group, model, lines }) => {
    const account = withDiscounts.has(accountId) ? accountId : '';
    const ofAccount = heldIn(narrowed, account, () => new Map<string, Map<string, PriceSnapshot>>());
    const ofGroup = heldIn(ofAccount, group, () => new Map<string, PriceSnapshot>());
    const models = lines.map((line) => line.model);
    const relevant = heldIn(ofGroup, models.join('\n'), () => narrow(snapshot, { account, group, models }));
    const served = { pool: '', upstream: '', upstream_model: '' };
    try {
      const rated = rateUsage({ account_id: accountId, group, model, lines, ...served }, relevant);
      return rated.ok ? rated.value.costPico : null;
    } catch (error) {
      // A unit, a tier or a region that this version has no price for.
      if (error instanceof RangeError) return null;
      throw error;
    }
  };
}

/** A snapshot of what prices some models for one group and account; what upstreams charge is not in it. */
const narrow = (
  { catalogue, ...rest }: PriceSnapshot,
  { account, group, models }: { account: string; group: string; models: readonly string[] },
): PriceSnapshot => ({
  ...rest,
  catalogue: {
    ...catalogue,
    models: catalogue.models.filter(({ name }) => models.includes(name)),
    groups: catalogue.groups.filter(({ name }) => name === group),
    discounts: catalogue.discounts.filter(({ account_id }) => account_id === account),
    upstreams: [],
  },
});

function heldIn<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const held = map.get(key);
  if (held !== undefined) return held;
  const made = make();
  map.set(key, made);
  return made;
}
