import { queryOptions } from '@tanstack/react-query';
import type {
  BillingKeysControllerChangeData,
  BillingKeysControllerCreateData,
  BillingKeysControllerRotateData,
} from './generated/types.gen.ts';
import {
  billingKeysControllerChange,
  billingKeysControllerCreate,
  billingKeysControllerList,
  billingKeysControllerRemove,
  billingKeysControllerRotate,
} from './generated/sdk/billing-keys.gen.ts';
import { bodyOf } from './result.ts';

/** Amounts in exact decimal USD by window; null is no limit. */
interface Budgets {
  readonly total_usd: string | null;
  readonly daily_usd: string | null;
  readonly monthly_usd: string | null;
}

/** What an operator may hold of a key. */
export type HeldField =
  | 'group'
  | 'models'
  | 'allowed_addresses'
  | 'expires_at'
  | 'status'
  | `budgets.${keyof Budgets}`
  | `limits.${keyof ApiKey['limits']}`;

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
    readonly concurrent_requests: number | null;
  };
  /** What it may use of the models of its group; null is every one. */
  readonly models: readonly string[] | null;
  /** IP addresses and ranges that it may be used from; null is everywhere. */
  readonly allowed_addresses: readonly string[] | null;
  readonly strict: boolean;
  /** It is deleted once it has ended. */
  readonly temporary: boolean;
  /** The secret before this one, which works beside it for a while. */
  readonly rotated_from: { readonly masked: string; readonly works_until: string } | null;
  /** Fields that an operator set, and when: others restrict them further, and go no further back than that. */
  readonly operator_fields: Readonly<
    Partial<Record<HeldField, { readonly by: string; readonly at: string }>>
  >;
  readonly created_at: string | null;
  readonly last_used_at: string | null;
}

/** What making and rotating a key answers: nothing else holds the key itself. */
export type NewApiKey = ApiKey & { readonly key: string };
export type CreateKey = BillingKeysControllerCreateData['body'];
export type ChangeKey = BillingKeysControllerChangeData['body'];
export interface KeyPage {
  readonly items: readonly ApiKey[];
  readonly total: number;
}

export const KEYS = ['keys'] as const;

/** One page, the newest first. Operators may ask for another account than their own. */
export const keysQuery = (page: {
  readonly limit: number;
  readonly offset: number;
  readonly account_id?: string;
}) =>
  queryOptions({
    queryKey: [...KEYS, page] as const,
    queryFn: ({ signal }) => bodyOf<KeyPage>(billingKeysControllerList({ query: page, signal })),
    // The page before is shown meanwhile, but never the keys of another account.
    placeholderData: (before: KeyPage | undefined, query) =>
      query?.queryKey[1].account_id === page.account_id ? before : undefined,
  });

export const createKey = (body: CreateKey): Promise<NewApiKey> =>
  bodyOf(billingKeysControllerCreate({ body }));

export const changeKey = (id: string, body: ChangeKey): Promise<ApiKey> =>
  bodyOf(billingKeysControllerChange({ path: { id }, body }));

/** Gives the key a new secret; the one before works for `overlap_s` seconds more. */
export const rotateKey = (id: string, body: BillingKeysControllerRotateData['body']): Promise<NewApiKey> =>
  bodyOf(billingKeysControllerRotate({ path: { id }, body }));

export const removeKey = (id: string): Promise<void> => bodyOf(billingKeysControllerRemove({ path: { id } }));
