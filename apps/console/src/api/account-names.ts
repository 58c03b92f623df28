import { queryOptions } from '@tanstack/react-query';
import { listAccounts } from './generated/sdk/accounts.gen.ts';
import type { ListAccountsResponse } from './generated/types.gen.ts';
import { read } from './result.ts';

const MAX_PAGES = 10;

/** The names of accounts by their ids; of very many the first two thousand. */
export const accountNamesQuery = queryOptions({
  queryKey: ['account-names'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
    const names = new Map<string, string>();
    let cursor: string | null = null;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const found: ListAccountsResponse = await read(
        listAccounts({ query: { limit: 200, ...(cursor === null ? {} : { cursor }) }, signal }),
      );
      for (const { id, name } of found.items) names.set(id, name);
      cursor = found.next;
      if (cursor === null) break;
    }
    return names;
  },
  staleTime: 60_000,
});
