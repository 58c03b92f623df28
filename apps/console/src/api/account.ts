import { queryOptions } from '@tanstack/react-query';
import { getAccount } from './generated/sdk/accounts.gen.ts';
import { read } from './result.ts';

export type { Account } from './generated/types.gen.ts';

/** An account with what it has; below zero it owes. */
export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: ['account', id],
    queryFn: ({ signal }) => read(getAccount({ path: { id }, signal })),
  });
