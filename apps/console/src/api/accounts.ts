import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import {
  changeAccount as callChangeAccount,
  createAccount as callCreateAccount,
  getAccount,
  listAccounts,
} from './generated/sdk/accounts.gen.ts';
import type {
  ChangeAccountData,
  CreateAccountData,
  ListAccountsData,
  ListedAccount,
} from './generated/types.gen.ts';
import { readAll } from './read-all.ts';
import { read } from './result.ts';

export type { ListedAccount as Account } from './generated/types.gen.ts';
export type CreateAccount = CreateAccountData['body'];
export type ChangeAccount = ChangeAccountData['body'];

export const ACCOUNTS = ['accounts'] as const;

type AccountsQuery = NonNullable<ListAccountsData['query']>;
export type AccountSort = NonNullable<AccountsQuery['sort']>;
/** Accounts that a text finds, in an order. */
export type AccountFilter = Pick<AccountsQuery, 'find' | 'sort'>;

const readPage = (
  filter: AccountFilter,
  limit: number,
  cursor: string | null,
  signal?: AbortSignal,
  sums = false,
) =>
  read(
    listAccounts({
      query: { ...filter, limit, sum: sums ? 'true' : 'false', ...(cursor === null ? {} : { cursor }) },
      ...(signal && { signal }),
    }),
  );

/** The newest first, where no other order is asked for; the first page says what all that fit add up to. */
export const accountsQuery = (filter: AccountFilter = {}, limit = 50, sums = true) =>
  infiniteQueryOptions({
    queryKey: [...ACCOUNTS, 'list', filter, limit, sums],
    queryFn: ({ pageParam, signal }) =>
      readPage(filter, limit, pageParam, signal, sums && pageParam === null),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

/** All that fit. */
export const readAccounts = (filter: AccountFilter) =>
  readAll<ListedAccount, string>((cursor) => readPage(filter, 200, cursor));

export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: [...ACCOUNTS, 'one', id],
    queryFn: ({ signal }) => read(getAccount({ path: { id }, signal })),
  });

export const createAccount = (body: CreateAccount) => read(callCreateAccount({ body }));

export const changeAccount = (id: string, body: ChangeAccount) =>
  read(callChangeAccount({ path: { id }, body }));
