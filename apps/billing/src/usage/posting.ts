import {
  type Catalogue,
  computeCharge,
  computeUpstreamCost,
  findDiscount,
  type PoolMember,
  type PriceSnapshot,
} from '@tollgate/catalogue';
import type { UsageEvent } from '@tollgate/contracts';
import { parseRatio } from '@tollgate/money';
import type { TokenCounts } from '@tollgate/vocabulary';
import type { LedgerEntry } from '../ledger/journal.ts';
import { customer, revenue, upstreamCost, upstreamPayable } from '../ledger/ledger-accounts.ts';
import { boundedEvent } from './event-bound.ts';

/** What a request costs the customer and us, by one snapshot. */
export interface RatedUsage {
  readonly vendor: string;
  readonly groupRatio: string;
  /** The account's share of the group's price. */
  readonly discountRatio: string;
  readonly costPico: bigint;
  /** Null where the snapshot does not say what the upstream charges. */
  readonly upstreamCostPico: bigint | null;
}

/** What of an event its price depends on. */
type Usage = Pick<
  UsageEvent,
  'account_id' | 'group' | 'model' | 'pool' | 'upstream' | 'upstream_model' | 'tokens'
>;

/** What one usage event writes into the books. */
export interface Posting extends RatedUsage {
  /** Of what the request can have had. */
  readonly event: UsageEvent;
  /** What was reported, where that is more: set aside for review. */
  readonly reported?: TokenCounts | undefined;
  readonly entries: readonly LedgerEntry[];
  /** What the gateway's clock said, where that cannot be: the event has the time that is believed instead. */
  readonly claimedAt?: string;
}

/** A posting with its number in the ledger. */
export interface PostedUsage extends Posting {
  readonly number: number;
}

export type Result<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

/** Prices usage by a snapshot: the model's list price, times the group's ratio, times the account's discount. */
export function rateUsage(usage: Usage, { version, catalogue }: PriceSnapshot): Result<RatedUsage> {
  const model = catalogue.models.find(({ name }) => name === usage.model);
  if (!model) return { ok: false, reason: `version ${version} has no model "${usage.model}"` };
  const group = catalogue.groups.find(({ name }) => name === usage.group);
  if (!group) return { ok: false, reason: `version ${version} has no group "${usage.group}"` };
  const ofAccount = catalogue.discounts.filter(({ account_id }) => account_id === usage.account_id);
  const discountRatio = findDiscount(ofAccount, usage.model)?.ratio ?? '1';
  const ratios = [parseRatio(group.ratio), parseRatio(discountRatio)];
  return {
    ok: true,
    value: {
      vendor: model.vendor,
      groupRatio: group.ratio,
      discountRatio,
      costPico: computeCharge({ counts: usage.tokens }, model, ratios),
      upstreamCostPico: computeUpstreamCost(
        { counts: usage.tokens },
        model,
        catalogue.upstreams.find(({ name }) => name === usage.upstream),
        findMember(catalogue, usage),
      ),
    },
  };
}

/**
 * Prices an event by the snapshot it was admitted under, for no more than its request can have had. What costs nothing has
 * no ledger entries; a lost attempt has those of the upstream alone.
 */
export function computePosting(written: UsageEvent, snapshot: PriceSnapshot): Result<Posting> {
  const model = snapshot.catalogue.models.find(({ name }) => name === written.model);
  const { event, reported } = model ? boundedEvent(written, model) : { event: written };
  const rated = rateUsage(event, snapshot);
  if (!rated.ok) return rated;
  // What brought the customer nothing is never charged, and of an estimate nothing is set aside.
  const costs = event.lost ? { ...rated.value, costPico: 0n } : rated.value;
  const posting = { ...costs, event, entries: usageEntries(event, costs) };
  return { ok: true, value: event.lost ? posting : { ...posting, reported } };
}

/** What usage moves between the accounts of the ledger. */
export const usageEntries = (
  event: Pick<UsageEvent, 'account_id' | 'upstream'>,
  { costPico, upstreamCostPico, vendor }: Pick<RatedUsage, 'costPico' | 'upstreamCostPico' | 'vendor'>,
): LedgerEntry[] =>
  [
    { ledgerAccount: customer(event.account_id), amountPico: -costPico },
    { ledgerAccount: revenue(vendor), amountPico: costPico },
    { ledgerAccount: upstreamCost(event.upstream), amountPico: -(upstreamCostPico ?? 0n) },
    { ledgerAccount: upstreamPayable(event.upstream), amountPico: upstreamCostPico ?? 0n },
  ].filter(({ amountPico }) => amountPico !== 0n);

/** An upstream may stand in a pool more than once, under other names of the model. */
const findMember = ({ pools }: Catalogue, usage: Usage): PoolMember | undefined =>
  pools
    .find(({ name }) => name === usage.pool)
    ?.members.find(
      ({ upstream, model_map }) =>
        upstream === usage.upstream && (model_map[usage.model] ?? usage.model) === usage.upstream_model,
    );
