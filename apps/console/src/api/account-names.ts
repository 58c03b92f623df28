import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { listAccounts } from './generated/sdk/accounts.gen.ts';
import { read } from './result.ts';

/** So many are asked for at once. */
const MAX_IDS = 100;

/** The names of these accounts by their ids. */
export const accountNamesQuery = (ids: Iterable<string>) => {
  const asked = [...new Set(ids)].sort();
  return queryOptions({
    queryKey: ['account-names', asked],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      const names = new Map<string, string>();
      for (let from = 0; from < asked.length; from += MAX_IDS) {
        const page = asked.slice(from, from + MAX_IDS).join(',');
        const { items } = await read(listAccounts({ query: { ids: page, limit: MAX_IDS }, signal }));
        for (const { id, name } of items) names.set(id, name);
      }
      return names;
    },
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
};
