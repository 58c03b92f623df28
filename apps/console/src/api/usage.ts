import { queryOptions } from '@tanstack/react-query';
import { listUsage } from './generated/sdk/usage.gen.ts';
import type { ListUsageData } from './generated/types.gen.ts';
import { read } from './result.ts';

export type { UsageEntry } from './generated/types.gen.ts';
/** Operators may name another account than their own. */
export type UsageFilter = Omit<NonNullable<ListUsageData['query']>, 'cursor' | 'limit'>;

/** Where the whole of a filter is downloaded from. */
export const usageCsvPath = (filter: UsageFilter): string => {
  const query = new URLSearchParams({ ...filter }).toString();
  return query === '' ? '/api/usage.csv' : `/api/usage.csv?${query}`;
};

/** A few of the newest entries. */
export const recentUsageQuery = (limit: number) =>
  queryOptions({
    queryKey: ['usage', 'recent', limit],
    queryFn: ({ signal }) => read(listUsage({ query: { limit }, signal })),
    refetchInterval: 30_000,
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
        const page = await read(listUsage({ query, signal }));
        if (page.items[0]) return page.items[0];
      }
      return null;
    },
    staleTime: Infinity,
  });
