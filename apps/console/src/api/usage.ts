import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { billingUsageControllerList } from './generated/sdk/billing-usage.gen.ts';
import { bodyOf } from './result.ts';

/** One relayed request as it was charged. */
export interface UsageEntry {
  readonly request_id: string;
  readonly occurred_at: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly group: string;
  readonly group_ratio: string;
  /** What the account pays of the group's price. */
  readonly discount_ratio: string;
  readonly model: string;
  readonly protocol: string;
  readonly stream: boolean;
  readonly pricing_version: number;
  readonly tokens: Readonly<Record<string, number>>;
  readonly cost_usd: string;
  readonly usage_source: 'upstream' | 'partial' | 'estimated';
  readonly outcome: 'completed' | 'client_aborted' | 'upstream_cut';
  readonly http_status: number;
  readonly latency_ms: number;
  readonly first_byte_ms: number;
}

export interface UsagePage {
  readonly items: readonly UsageEntry[];
  readonly next: string | null;
}

export interface UsageFilter {
  /** Of operators: another account than their own. */
  readonly account_id?: string;
  readonly request_id?: string;
  readonly key_id?: string;
  readonly model?: string;
  readonly from?: string;
  readonly to?: string;
}

/** Where the whole of a filter is downloaded from. */
export const usageCsvPath = (filter: UsageFilter): string => {
  const query = new URLSearchParams({ ...filter }).toString();
  return query === '' ? '/api/usage.csv' : `/api/usage.csv?${query}`;
};

/** The newest entries, for those who watch the log grow. */
export const newestUsage = (filter: UsageFilter, signal: AbortSignal): Promise<UsagePage> =>
  bodyOf(billingUsageControllerList({ query: { ...filter, limit: 100 }, signal }));

/** A few of the newest entries. */
export const recentUsageQuery = (limit: number) =>
  queryOptions({
    queryKey: ['usage', 'recent', limit],
    queryFn: ({ signal }) => bodyOf<UsagePage>(billingUsageControllerList({ query: { limit }, signal })),
    refetchInterval: 30_000,
  });

/** The log from its newest entry on; each page names where the next one begins. */
export const usageQuery = (filter: UsageFilter) =>
  infiniteQueryOptions({
    queryKey: ['usage', filter],
    queryFn: ({ pageParam, signal }) =>
      bodyOf<UsagePage>(
        billingUsageControllerList({
          query: { ...filter, limit: 100, ...(pageParam === null ? {} : { cursor: pageParam }) },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

const LOOK_UP = { everyMs: 400, times: 40 };

/** The log's entry of one request, which appears a moment after its answer; null when it does not appear. */
export const usageOfRequestQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['usage', 'request', requestId],
    queryFn: async ({ signal }) => {
      for (let times = 0; times < LOOK_UP.times; times += 1) {
        if (times > 0) await new Promise((resolve) => setTimeout(resolve, LOOK_UP.everyMs));
        const query = { request_id: requestId, limit: 1 };
        const page = await bodyOf<UsagePage>(billingUsageControllerList({ query, signal }));
        if (page.items[0]) return page.items[0];
      }
      return null;
    },
    staleTime: Infinity,
  });
