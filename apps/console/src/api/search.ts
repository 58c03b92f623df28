import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { search } from './generated/sdk/search.gen.ts';
import type { SearchAnswer } from './generated/types.gen.ts';
import { read } from './result.ts';

export type { SearchAnswer } from './generated/types.gen.ts';

type FoundKey = SearchAnswer['keys'][number];

/** What the service finds of a text, and of that what whoever looks may see. */
export const searchQuery = (find: string) =>
  queryOptions({
    queryKey: ['search', find],
    queryFn: ({ signal }) => read(search({ query: { find }, signal })),
    staleTime: 10_000,
  });

/** Keys to choose from: of an account, or of all that one may see. */
export const keySearchQuery = (find: string, account: string | undefined) =>
  queryOptions({
    queryKey: ['search', 'keys', find, account],
    queryFn: async ({ signal }) => {
      const query = { find, ...(account === undefined ? {} : { account_id: account }) };
      return (await read(search({ query, signal }))).keys;
    },
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  });

/** The key of an id, of an account or of all that one may see; null where there is none. */
export const foundKeyQuery = (id: string | undefined, account: string | undefined) =>
  queryOptions({
    queryKey: ['search', 'key', id, account],
    queryFn: async ({ signal }) => {
      const query = { find: id ?? '', ...(account === undefined ? {} : { account_id: account }) };
      return (await read(search({ query, signal }))).keys.find((key) => key.id === id) ?? null;
    },
    enabled: id !== undefined,
    staleTime: 60_000,
  });

export const toKeyLabel = ({ name, masked }: FoundKey): string => `${name} (${masked})`;
