import {
  type Catalogue,
  computeCharge,
  computeUpstreamCost,
  findDiscount,
  isCostCredible,
  type PoolMember,
  type PriceSnapshot,
  toPriceTerms,
} from '@tollgate/catalogue';
import type { UsageEvent, UsageLine } from '@tollgate/contracts';
import { parseRatio } from '@tollgate/money';
import { type Counts, findOwn } from '@tollgate/vocabulary';
import type { LedgerEntry } from '../ledger/journal.ts';
import { customer, revenue, upstreamCost, upstreamPayable } from '../ledger/ledger-accounts.ts';
import { boundedEvent } from './event-bound.ts';
import { findModel } from './find-model.ts';
import { type LineCost, sumCounts } from './usage-lines.ts';

/** What a request costs the customer and us, by one snapshot. */
export interface RatedUsage {
  readonly vendor: string;
  readonly groupRatio: string;
  /** The account's share of the group's price. */
  readonly discountRatio: string;
  readonly costPico: bigint;
  /** Null where the snapshot does not say what the upstream charges. */
  readonly upstreamCostPico: bigint | null;
  /** What each line costs, in their order: the costs above are their sums. */
  readonly lineCosts: readonly LineCost[];
}

/** What of an event its price depends on. */
type Usage = Pick<UsageEvent, 'account_id' | 'group' | 'model' | 'pool' | 'upstream' | 'upstream_model'> & {
  readonly lines: readonly UsageLine[];
  readonly upstream_cost_pico?: UsageEvent['upstream_cost_pico'];
};

/** What one usage event writes into the books. */
export interface Posting extends RatedUsage {
  /** Of what the request can have had. */
  readonly event: UsageEvent;
  /** Tokens and units over all lines. */
  readonly counts: Readonly<Counts>;
  /** What was reported, where that is more: set aside for review. */
  readonly reported?: readonly UsageLine[] | undefined;
  readonly entries: readonly LedgerEntry[];
  /** What the gateway's clock said, where that cannot be: the event has the time that is believed instead. */
  readonly claimedAt?: string;
}

/** A posting with its number in the ledger. */
export interface PostedUsage extends Posting {
  readonly number: number;
}

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

/**
 * Prices usage by a snapshot: each line by the list price of its own model, times the group's ratio, times the account's
 * discount on the model that was asked for, as its hold was worked out.
 *
 * @throws RangeError for what has no price.
 */
export function rateUsage(usage: Usage, { version, catalogue }: PriceSnapshot): Result<RatedUsage> {
  const model = findModel(catalogue, usage.model);
  if (!model) return { ok: false, reason: `version ${version} has no model "${usage.model}"` };
  const group = catalogue.groups.find(({ name }) => name === usage.group);
  if (!group) return { ok: false, reason: `version ${version} has no group "${usage.group}"` };
  const ofAccount = catalogue.discounts.filter(({ account_id }) => account_id === usage.account_id);
  const discountRatio = findDiscount(ofAccount, usage.model)?.ratio ?? '1';
  const ratios = [parseRatio(group.ratio), parseRatio(discountRatio)];
  const upstream = catalogue.upstreams.find(({ name }) => name === usage.upstream);
  const member = findMember(catalogue, usage);
  const reported = upstream?.reports_cost === true ? usage.upstream_cost_pico : undefined;
  const computed: LineCost[] = [];
  let listedPico = 0n;
  for (const [index, { model: name, counts, service_tier: serviceTier, region }] of usage.lines.entries()) {
    const ofLine = name === usage.model ? model : findModel(catalogue, name);
    if (!ofLine) return { ok: false, reason: `version ${version} has no model "${name}"` };
    const used = { counts, serviceTier, region, isRequest: index === 0 };
    if (reported !== undefined) listedPico += computeCharge(used, toPriceTerms(ofLine), []);
    computed.push({
      costPico: computeCharge(used, toPriceTerms(ofLine), ratios),
      upstreamCostPico: computeUpstreamCost(used, ofLine, upstream, member),
    });
  }
  const isTaken = reported !== undefined && isCostCredible(BigInt(reported), listedPico);
  const lineCosts = isTaken ? withReportedCost(computed, BigInt(reported)) : computed;
  return {
    ok: true,
    value: {
      vendor: model.vendor,
      groupRatio: group.ratio,
      discountRatio,
      costPico: lineCosts.reduce((sum, { costPico }) => sum + costPico, 0n),
      upstreamCostPico: lineCosts.reduce<bigint | null>(
        (sum, { upstreamCostPico: cost }) => (sum === null || cost === null ? null : sum + cost),
        0n,
      ),
      lineCosts,
    },
  };
}

/** What an upstream says it charges is for the request as a whole: it stands on the first line. */
const withReportedCost = (lineCosts: readonly LineCost[], reportedPico: bigint): LineCost[] =>
  lineCosts.map(({ costPico }, index) => ({ costPico, upstreamCostPico: index === 0 ? reportedPico : 0n }));

/**
 * Prices an event by the snapshot it was admitted under, for no more than its request can have had. What costs nothing has
 * no ledger entries; a lost attempt has those of the upstream alone.
 */
export function computePosting(written: UsageEvent, snapshot: PriceSnapshot): Result<Posting> {
  const model = findModel(snapshot.catalogue, written.model);
  const { event, reported } = model ? boundedEvent(written, model, snapshot.catalogue) : { event: written };
  const rated = rateUsage(event, snapshot);
  if (!rated.ok) return rated;
  // What brought the customer nothing is never charged, and of an estimate nothing is set aside.
  const costs = event.lost ? withoutCharge(rated.value) : rated.value;
  const posting = {
    ...costs,
    event,
    counts: sumCounts(event.lines),
    entries: usageEntries(event, costs),
  };
  return { ok: true, value: event.lost ? posting : { ...posting, reported } };
}

const withoutCharge = (rated: RatedUsage): RatedUsage => ({
  ...rated,
  costPico: 0n,
  lineCosts: rated.lineCosts.map(({ upstreamCostPico }) => ({ costPico: 0n, upstreamCostPico })),
});

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
        upstream === usage.upstream &&
        (findOwn(model_map, usage.model) ?? usage.model) === usage.upstream_model,
    );
