import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import {
  closePeriods,
  getPeriod,
  listAccountMonths,
  listPeriods,
  verifyPeriods as callVerifyPeriods,
} from './generated/sdk/periods.gen.ts';
import { read } from './result.ts';

export type {
  AccountMonth,
  AccountMonths,
  ClosedPeriod,
  MonthsByAccount,
  OpenPeriod,
  Periods,
  PeriodVerification as Verification,
} from './generated/types.gen.ts';

export const PERIODS = ['periods'] as const;

/** The closed months of an account, the newest first, and the one that is open. */
export const periodsQuery = (accountId: string) =>
  queryOptions({
    queryKey: [...PERIODS, accountId],
    queryFn: ({ signal }) => read(listPeriods({ query: { account_id: accountId }, signal })),
  });

/** Never changes. */
export const periodQuery = (account: string, month: string) =>
  queryOptions({
    queryKey: ['period', account, month],
    queryFn: ({ signal }) => read(getPeriod({ path: { account, month }, signal })),
    staleTime: Infinity,
  });

/** Which months, of which accounts. */
interface MonthsAsked {
  /** The last month. */
  readonly to?: string;
  readonly find?: string;
}

/** What was booked by account and month, a page of the accounts that used most. */
export const accountMonthsQuery = (
  asked: MonthsAsked & { readonly limit: number; readonly offset: number },
) =>
  queryOptions({
    queryKey: [...PERIODS, 'accounts', asked],
    queryFn: ({ signal }) => read(listAccountMonths({ query: asked, signal })),
    placeholderData: keepPreviousData,
  });

/** Where the same is as CSV, of all accounts that are found. */
export const accountMonthsPath = (asked: MonthsAsked): string =>
  `/api/periods/accounts.csv?${new URLSearchParams({ ...asked }).toString()}`;

/** Of one account, or of all of them. */
export type Whose = { readonly account_id: string } | { readonly all: true };

/** Closes a month for good. */
export const closePeriod = (body: Whose & { month: string; reason: string }) => read(closePeriods({ body }));

/** Works closed months out again. */
export const verifyPeriods = (body: Whose) => read(callVerifyPeriods({ body }));
