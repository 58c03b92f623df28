import { type InfiniteData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { newestRequests, type RequestFilter, type RequestPage, requestsQuery } from '../../api/requests.ts';
import { withNewest } from './tail.ts';
import { useFailureTold } from '../../shared/use-lookup.ts';

const EVERY_MS = 2_000;

/** While it is live, what is new in the log of a filter is put in front of it; pages that were loaded stay. */
export function useTail(filter: RequestFilter, isLive: boolean): void {
  const queryClient = useQueryClient();
  const {
    data: newest,
    error,
    refetch,
  } = useQuery({
    queryKey: ['requests-tail', filter],
    queryFn: ({ signal }) => newestRequests(filter, signal),
    enabled: isLive,
    refetchInterval: EVERY_MS,
    staleTime: 0,
  });
  // A log that is called live and stands still says so.
  useFailureTold(isLive ? error : null, refetch);
  useEffect(() => {
    if (!isLive || !newest) return;
    const { queryKey } = requestsQuery(filter);
    const before = queryClient.getQueryData<InfiniteData<RequestPage, string | null>>(queryKey);
    const pages = before && withNewest(before.pages, newest);
    if (pages === null) void queryClient.resetQueries({ queryKey });
    else if (pages && pages !== before.pages)
      queryClient.setQueryData(queryKey, { ...before, pages: [...pages] });
    // The filter is told by the data that it brought.
  }, [isLive, newest, queryClient]);
}
