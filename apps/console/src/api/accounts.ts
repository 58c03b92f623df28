import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import {
  changeAccount as callChangeAccount,
  createAccount as callCreateAccount,
  getAccount,
  listAccounts,
} from './generated/sdk/accounts.gen.ts';
import type { ChangeAccountData, CreateAccountData } from './generated/types.gen.ts';
import { read } from './result.ts';

export type { ListedAccount as Account } from './generated/types.gen.ts';
export type CreateAccount = CreateAccountData['body'];
export type ChangeAccount = ChangeAccountData['body'];

export const ACCOUNTS = ['accounts'] as const;

/** Accounts that a text finds, the newest first. */
export const accountsQuery = (find = '', limit = 50) =>
  infiniteQueryOptions({
    queryKey: [...ACCOUNTS, 'list', find, limit],
    queryFn: ({ pageParam, signal }) =>
      read(
        listAccounts({
          query: {
            limit,
            ...(find === '' ? {} : { find }),
            ...(pageParam === null ? {} : { cursor: pageParam }),
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: [...ACCOUNTS, 'one', id],
    queryFn: ({ signal }) => read(getAccount({ path: { id }, signal })),
  });

export const createAccount = (body: CreateAccount) => read(callCreateAccount({ body }));

export const changeAccount = (id: string, body: ChangeAccount) =>
  read(callChangeAccount({ path: { id }, body }));
