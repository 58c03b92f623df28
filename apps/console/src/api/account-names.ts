import { queryOptions } from '@tanstack/react-query';
import { billingAccountsControllerList } from './generated/sdk/billing-accounts.gen.ts';
import { bodyOf } from './result.ts';

interface AccountPage {
  readonly items: readonly { readonly id: string; readonly name: string }[];
  readonly next: string | null;
}

const MOST_PAGES = 10;

/** The names of accounts by their ids; of very many the first two thousand. */
export const accountNamesQuery = queryOptions({
  queryKey: ['account-names'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
    const names = new Map<string, string>();
    let cursor: string | null = null;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const found: AccountPage = await bodyOf<AccountPage>(
        billingAccountsControllerList({
          query: { limit: 200, ...(cursor === null ? {} : { cursor }) },
          signal,
        }),
      );
      for (const { id, name } of found.items) names.set(id, name);
      cursor = found.next;
      if (cursor === null) break;
    }
    return names;
  },
  staleTime: 60_000,
});
