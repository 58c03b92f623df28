import { queryOptions } from '@tanstack/react-query';
import {
  billingAccountsControllerList,
  billingAccountsControllerShow,
} from './generated/sdk/billing-accounts.gen.ts';
import { bodyOf } from './result.ts';

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  readonly mode: 'prepaid' | 'postpaid';
  /** Exact decimal USD; null is no limit. */
  readonly credit_limit_usd: string | null;
  readonly time_zone: string;
}

/** An account with what it has; below zero it owes. */
export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: ['account', id],
    queryFn: ({ signal }) =>
      bodyOf<Account & { readonly balance_usd: string; readonly usable_groups: readonly string[] }>(
        billingAccountsControllerShow({ path: { id }, signal }),
      ),
  });

const MOST_ACCOUNTS = 200;

/** The newest accounts, for a list to choose from. */
export const accountChoiceQuery = queryOptions({
  queryKey: ['accounts', 'choice'],
  queryFn: ({ signal }) =>
    bodyOf<{ readonly items: readonly Account[] }>(
      billingAccountsControllerList({ query: { limit: MOST_ACCOUNTS }, signal }),
    ),
});
