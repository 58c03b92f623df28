import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { countRequests, listRequests, sumRequests } from './generated/sdk/requests.gen.ts';
import type {
  CountRequestsData,
  ListRequestsData,
  RequestEntry,
  RequestPage,
} from './generated/types.gen.ts';
import { readAll } from './read-all.ts';
import { toPast } from './past.ts';
import { read } from './result.ts';

export type { RequestCountsOverTime, RequestEntry, RequestPage } from './generated/types.gen.ts';
/** Operators may name another account than their own, or all. */
export type RequestFilter = Omit<NonNullable<ListRequestsData['query']>, 'cursor' | 'limit'>;

const PAGE = 100;

/** The newest requests, for those who watch the log grow. */
export const newestRequests = (filter: RequestFilter, signal: AbortSignal): Promise<RequestPage> =>
  read(listRequests({ query: { ...filter, limit: PAGE }, signal }));

/** The log from its newest entry on; each page names where the next one begins. */
export const requestsQuery = (filter: RequestFilter) =>
  infiniteQueryOptions({
    queryKey: ['requests', filter],
    queryFn: ({ pageParam, signal }) =>
      read(
        listRequests({
          query: { ...filter, limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

/** What all requests that fit add up to. */
export const requestTotalsQuery = ({ sort: _, ...filter }: RequestFilter) =>
  queryOptions({
    queryKey: ['request-totals', filter],
    queryFn: ({ signal }) => read(sumRequests({ query: filter, signal })),
  });

/** All requests that fit. */
export const readRequests = (filter: RequestFilter) =>
  readAll<RequestEntry, string>((cursor) =>
    read(listRequests({ query: { ...filter, limit: 200, ...(cursor === null ? {} : { cursor }) } })),
  );

type CountsQuery = NonNullable<CountRequestsData['query']>;

/** Requests by status, as of now. */
export const requestCountsQuery = ({
  hours,
  bucket,
}: Pick<CountsQuery, 'bucket'> & { readonly hours: number }) =>
  queryOptions({
    queryKey: ['request-counts', { hours, bucket }],
    queryFn: ({ signal }) => read(countRequests({ query: { ...toPast(hours, bucket), bucket }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
