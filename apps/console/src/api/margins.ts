import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { billingMarginsControllerMargins } from './generated/sdk/billing-margins.gen.ts';
import type { MarginGroup } from './margin-groups.ts';
import { bodyOf } from './result.ts';

/** Revenue and cost in decimal USD. Requests of which nobody knows what they cost us have revenue and no margin. */
export interface MarginFigures {
  readonly requests: number;
  readonly requests_of_unknown_cost: number;
  readonly revenue_usd: string;
  readonly revenue_of_unknown_cost_usd: string;
  readonly upstream_cost_usd: string;
  /** Of that: attempts at upstreams that brought nothing, and that these may bill. */
  readonly lost_attempts: number;
  readonly lost_attempts_cost_usd: string;
  readonly margin_usd: string;
  /** Of the revenue whose cost is known, such as "0.25"; null without any. */
  readonly margin_ratio: string | null;
}

export type MarginRow = MarginFigures & {
  readonly [group in MarginGroup]?: string | null;
} & { readonly customer_name?: string | null };

export interface Margins {
  readonly groups: readonly MarginRow[];
  readonly total: MarginFigures;
}

/** What was earned in a time, by one of its sides, the most first. */
export const marginsQuery = (by: MarginGroup, span: { readonly from?: string; readonly to?: string }) =>
  queryOptions({
    queryKey: ['margins', by, span],
    queryFn: ({ signal }) =>
      bodyOf<Margins>(billingMarginsControllerMargins({ query: { group_by: by, ...span }, signal })),
    placeholderData: keepPreviousData,
  });
