import { type PriceSnapshot, TOKEN_KINDS, type UsageEvent } from '@tollgate/contracts';
import { charge, parseRatio } from '@tollgate/money';

export interface LedgerEntry {
  readonly ledgerAccount: string;
  /** Pico-USD; a customer's account goes down, revenue is its counterpart. The entries of a posting sum to zero. */
  readonly amountPico: bigint;
}

/** What one usage event writes into the books. */
export interface Posting {
  readonly event: UsageEvent;
  readonly groupRatio: string;
  readonly costPico: bigint;
  readonly entries: readonly LedgerEntry[];
}

export type PostingResult =
  { readonly ok: true; readonly posting: Posting } | { readonly ok: false; readonly reason: string };

/** Prices an event by the snapshot it was admitted under. What costs nothing has no ledger entries. */
export function postingOf(event: UsageEvent, snapshot: PriceSnapshot): PostingResult {
  const model = snapshot.catalogue.models.find(({ name }) => name === event.model);
  if (!model) return { ok: false, reason: `version ${snapshot.version} has no model "${event.model}"` };
  const group = snapshot.catalogue.groups.find(({ name }) => name === event.group);
  if (!group) return { ok: false, reason: `version ${snapshot.version} has no group "${event.group}"` };

  const lines = TOKEN_KINDS.map((kind) => ({ tokens: event.tokens[kind] ?? 0, price: model.prices[kind] }));
  const costPico = charge(lines, parseRatio(group.ratio));
  const entries =
    costPico === 0n
      ? []
      : [
          { ledgerAccount: `customer:${event.account_id}`, amountPico: -costPico },
          { ledgerAccount: `revenue:${model.vendor}`, amountPico: costPico },
        ];
  return { ok: true, posting: { event, groupRatio: group.ratio, costPico, entries } };
}
