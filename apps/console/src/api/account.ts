import { queryOptions } from '@tanstack/react-query';
import { getAccount, listAccounts } from './generated/sdk/accounts.gen.ts';
import { read } from './result.ts';

export type { Account } from './generated/types.gen.ts';

/** An account with what it has; below zero it owes. */
export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: ['account', id],
    queryFn: ({ signal }) => read(getAccount({ path: { id }, signal })),
  });

const MAX_ACCOUNTS = 200;

/** The newest accounts, for a list to choose from. */
export const accountChoiceQuery = queryOptions({
  queryKey: ['accounts', 'choice'],
  queryFn: ({ signal }) => read(listAccounts({ query: { limit: MAX_ACCOUNTS }, signal })),
});
