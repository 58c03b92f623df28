import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  BillingAccountsControllerChangeData,
  BillingAccountsControllerCreateData,
} from './generated/types.gen.ts';
import {
  billingAccountsControllerChange,
  billingAccountsControllerCreate,
  billingAccountsControllerList,
  billingAccountsControllerShow,
} from './generated/sdk/billing-accounts.gen.ts';
import { bodyOf } from './result.ts';

/** Who pays. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  readonly mode: 'prepaid' | 'postpaid';
  /** Decimal USD that a postpaid account may owe; null is no limit. */
  readonly credit_limit_usd: string | null;
  readonly limits: {
    readonly requests_per_minute: number | null;
    readonly tokens_per_minute: number | null;
    readonly concurrent_requests: number | null;
  };
  /** The groups that its people may put keys in; null is what the deployment allows to every account. */
  readonly allowed_groups: readonly string[] | null;
  /** Keys that it may have at a time; null is what the deployment allows to every account. */
  readonly max_keys: number | null;
  readonly time_zone: string;
  readonly closed_until: string | null;
  readonly created_at: string;
  readonly balance_usd: string;
}

export interface AccountPage {
  readonly items: readonly Account[];
  readonly next: string | null;
}

export type CreateAccount = BillingAccountsControllerCreateData['body'];
export type ChangeAccount = BillingAccountsControllerChangeData['body'];

export const ACCOUNTS = ['accounts'] as const;

/** Accounts that a text finds, the newest first. */
export const accountsQuery = (find = '', limit = 50) =>
  infiniteQueryOptions({
    queryKey: [...ACCOUNTS, 'list', find, limit],
    queryFn: ({ pageParam, signal }) =>
      bodyOf<AccountPage>(
        billingAccountsControllerList({
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
    queryFn: ({ signal }) => bodyOf<Account>(billingAccountsControllerShow({ path: { id }, signal })),
  });

export const createAccount = (body: CreateAccount): Promise<Account> =>
  bodyOf(billingAccountsControllerCreate({ body }));

export const changeAccount = (id: string, body: ChangeAccount): Promise<Account> =>
  bodyOf(billingAccountsControllerChange({ path: { id }, body }));
