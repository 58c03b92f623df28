import { queryOptions } from '@tanstack/react-query';
import {
  billingPeriodsControllerClose,
  billingPeriodsControllerList,
  billingPeriodsControllerShow,
  billingPeriodsControllerVerify,
} from './generated/sdk/billing-periods.gen.ts';
import { bodyOf } from './result.ts';

/** A month of an account that never changes any more; amounts are decimal USD. */
export interface ClosedPeriod {
  readonly account_id: string;
  /** Such as "2026-11". */
  readonly month: string;
  readonly time_zone: string;
  readonly from: string;
  readonly to: string;
  readonly closed_at: string;
  readonly closed_by: string;
  readonly reason: string;
  readonly opening_balance_usd: string;
  readonly closing_balance_usd: string;
  readonly transactions: number;
  readonly requests: number;
  readonly first_number: number | null;
  readonly last_number: number | null;
  readonly digest: string;
  readonly previous_hash: string | null;
  readonly hash: string;
}

export type PeriodInFull = ClosedPeriod & {
  readonly kinds: readonly {
    readonly kind: string;
    readonly transactions: number;
    readonly amount_usd: string;
  }[];
  readonly ledger_accounts: readonly { readonly ledger_account: string; readonly amount_usd: string }[];
};

export interface OpenPeriod {
  readonly month: string;
  readonly time_zone: string;
  readonly from: string;
  readonly to: string;
}

export interface Periods {
  readonly items: readonly ClosedPeriod[];
  readonly open: OpenPeriod | null;
}

/** Whether closed months are what was frozen, of each account that was asked for. */
export interface Verification {
  readonly verified: boolean;
  readonly items: readonly {
    readonly account_id: string;
    readonly periods: number;
    readonly last_hash: string | null;
    readonly first_difference: {
      readonly month: string;
      readonly what: string;
      readonly stored: unknown;
      readonly computed: unknown;
    } | null;
  }[];
}

export interface Closing {
  readonly closed: readonly ClosedPeriod[];
  readonly refused: readonly { readonly account_id: string; readonly message: string }[];
}

export const PERIODS = ['periods'] as const;

/** The closed months of an account, the newest first, and the one that is open. */
export const periodsQuery = (accountId: string) =>
  queryOptions({
    queryKey: [...PERIODS, accountId],
    queryFn: ({ signal }) =>
      bodyOf<Periods>(billingPeriodsControllerList({ query: { account_id: accountId }, signal })),
  });

/** Never changes. */
export const periodQuery = (account: string, month: string) =>
  queryOptions({
    queryKey: ['period', account, month],
    queryFn: ({ signal }) =>
      bodyOf<PeriodInFull>(billingPeriodsControllerShow({ path: { account, month }, signal })),
    staleTime: Infinity,
  });

/** Of one account, or of all of them. */
export type Whose = { readonly account_id: string } | { readonly all: true };

/** Closes a month for good. */
export const closePeriod = (body: Whose & { month: string; reason: string }): Promise<Closing> =>
  bodyOf(billingPeriodsControllerClose({ body }));

/** Works closed months out again. */
export const verifyPeriods = (body: Whose): Promise<Verification> =>
  bodyOf(billingPeriodsControllerVerify({ body }));
