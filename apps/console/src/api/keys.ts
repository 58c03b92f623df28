import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  BillingKeysControllerChangeData,
  BillingKeysControllerCreateData,
} from './generated/types.gen.ts';
import {
  billingKeysControllerChange,
  billingKeysControllerCreate,
  billingKeysControllerList,
  billingKeysControllerRemove,
} from './generated/sdk/billing-keys.gen.ts';
import { bodyOf } from './result.ts';

/** Amounts in exact decimal USD by window; null is no limit. */
export interface Budgets {
  readonly total_usd: string | null;
  readonly daily_usd: string | null;
  readonly monthly_usd: string | null;
}

export interface ApiKey {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly masked: string;
  readonly group: string;
  readonly status: 'active' | 'disabled';
  readonly expires_at: string | null;
  readonly budgets: Budgets;
  readonly spent: {
    readonly total_usd: string;
    readonly today_usd: string;
    readonly this_month_usd: string;
  };
  readonly limits: {
    readonly requests_per_minute: number | null;
    readonly tokens_per_minute: number | null;
  };
  readonly strict: boolean;
  readonly created_at: string | null;
  readonly last_used_at: string | null;
}

/** The only answer that holds the key itself. */
export type NewApiKey = ApiKey & { readonly key: string };
export type CreateKey = BillingKeysControllerCreateData['body'];
export type ChangeKey = BillingKeysControllerChangeData['body'];
export interface KeyPage {
  readonly items: readonly ApiKey[];
  readonly total: number;
}

export const KEYS = ['keys'] as const;

/** One page, the newest first. */
export const keysQuery = (page: { readonly limit: number; readonly offset: number }) =>
  queryOptions({
    queryKey: [...KEYS, page],
    queryFn: ({ signal }) => bodyOf<KeyPage>(billingKeysControllerList({ query: page, signal })),
    placeholderData: keepPreviousData,
  });

/** The newest keys of any account, for operators. */
export const keysOfQuery = (accountId: string) =>
  queryOptions({
    queryKey: [...KEYS, 'of', accountId],
    queryFn: ({ signal }) =>
      bodyOf<KeyPage>(billingKeysControllerList({ query: { account_id: accountId, limit: 50 }, signal })),
  });

export const createKey = (body: CreateKey): Promise<NewApiKey> =>
  bodyOf(billingKeysControllerCreate({ body }));

export const changeKey = (id: string, body: ChangeKey): Promise<ApiKey> =>
  bodyOf(billingKeysControllerChange({ path: { id }, body }));

export const removeKey = (id: string): Promise<void> => bodyOf(billingKeysControllerRemove({ path: { id } }));
