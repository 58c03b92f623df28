import type { AnswerOf, rerates } from '@tollgate/api';
import { formatUsd } from '@tollgate/money';
import { isUnitKind, METER_KINDS, type MeterKind } from '@tollgate/vocabulary';
import type { BookedUsage } from './usage-rows.ts';

export type RerateNews = AnswerOf<typeof rerates.rerate>;

interface Sums {
  requests: number;
  /** Of requests that the other prices do not cover: they add nothing to `reratedPico`. */
  unpricedRequests: number;
  unpricedBookedPico: bigint;
  readonly counts: Map<MeterKind, bigint>;
  bookedPico: bigint;
  reratedPico: bigint;
}

const newSums = (): Sums => ({
  requests: 0,
  unpricedRequests: 0,
  unpricedBookedPico: 0n,
  counts: new Map(),
  bookedPico: 0n,
  reratedPico: 0n,
});

/** Adds up what was booked and what it would have cost, by account and model and in all. */
export class RerateTotals {
  readonly #total = newSums();
  readonly #byAccount = new Map<string, Map<string, Sums>>();

  /** Adds a request; `reratedPico` is null where the other prices have none for it. */
  add(
    usage: Pick<BookedUsage, 'accountId' | 'model' | 'counts' | 'costPico'>,
    reratedPico: bigint | null,
  ): void {
    addTo(this.#of(usage.accountId, usage.model), usage, reratedPico);
    addTo(this.#total, usage, reratedPico);
  }

  /** A line for each account and model, in their order. */
  *lines(): Generator<RerateNews> {
    for (const [accountId, byModel] of sorted(this.#byAccount)) {
      for (const [model, sums] of sorted(byModel)) yield { account_id: accountId, model, ...shown(sums) };
    }
  }

  total(): Extract<RerateNews, { total: object }>['total'] {
    return shown(this.#total);
  }

  #of(accountId: string, model: string): Sums {
    const byModel = this.#byAccount.get(accountId) ?? new Map<string, Sums>();
    this.#byAccount.set(accountId, byModel);
    const sums = byModel.get(model) ?? newSums();
    byModel.set(model, sums);
    return sums;
  }
}

function addTo(
  sums: Sums,
  { counts, costPico }: Pick<BookedUsage, 'counts' | 'costPico'>,
  reratedPico: bigint | null,
): void {
  sums.requests += 1;
  sums.bookedPico += costPico;
  for (const kind of Object.keys(counts) as MeterKind[]) {
    sums.counts.set(kind, (sums.counts.get(kind) ?? 0n) + BigInt(counts[kind] ?? 0));
  }
  if (reratedPico === null) {
    sums.unpricedRequests += 1;
    sums.unpricedBookedPico += costPico;
  } else {
    sums.reratedPico += reratedPico;
  }
}

const sorted = <V>(map: ReadonlyMap<string, V>): [string, V][] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

const shown = (sums: Sums) => ({
  requests: sums.requests,
  tokens: pickCounts(sums, (kind) => !isUnitKind(kind)),
  units: pickCounts(sums, isUnitKind),
  booked_usd: formatUsd(sums.bookedPico),
  rerated_usd: formatUsd(sums.reratedPico),
  difference_usd: formatUsd(sums.reratedPico - sums.bookedPico),
  unpriced_requests: sums.unpricedRequests,
  unpriced_booked_usd: formatUsd(sums.unpricedBookedPico),
});

const pickCounts = ({ counts }: Sums, takes: (kind: MeterKind) => boolean) =>
  Object.fromEntries(
    METER_KINDS.filter(takes).flatMap((kind) => {
      const count = counts.get(kind);
      return count === undefined ? [] : [[kind, Number(count)]];
    }),
  );
