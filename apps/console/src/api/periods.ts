import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import {
  closePeriods,
  getPeriod,
  getVerification,
  listAccountMonths,
  listPeriods,
  listVerifications,
  verifyPeriods as callVerifyPeriods,
} from './generated/sdk/periods.gen.ts';
import type { PeriodClosing } from './generated/types.gen.ts';
import { ApiError, read } from './result.ts';

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

/** How often it is looked how far something is. */
const POLL_MS = 1_000;

/** The closed months of an account, the newest first, those that are being sealed, and the one that is open. */
export const periodsQuery = (accountId: string) =>
  queryOptions({
    queryKey: [...PERIODS, accountId],
    queryFn: ({ signal }) => read(listPeriods({ query: { account_id: accountId }, signal })),
    refetchInterval: ({ state }) => ((state.data?.sealing.length ?? 0) > 0 ? POLL_MS : false),
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

/** Why the month of one account among all was not closed, as an error that can be told in any language. */
export const toRefusal = ({ message, code, values }: PeriodClosing['refused'][number]): ApiError =>
  new ApiError(409, message, null, code, values);

/** Works closed months out again. */
export const verifyPeriods = (body: Whose & { from_start: boolean }) => read(callVerifyPeriods({ body }));

/** A verification, looked at until it has ended. */
export const verificationQuery = (id: string) =>
  queryOptions({
    queryKey: ['verification', id],
    queryFn: ({ signal }) => read(getVerification({ path: { id }, signal })),
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? POLL_MS : false),
  });

/** What runs, whoever asked for it. */
export const runningVerificationsQuery = queryOptions({
  queryKey: ['verifications'],
  queryFn: async ({ signal }) => {
    const { items } = await read(listVerifications({ signal }));
    return items.filter(({ ended_at }) => ended_at === null);
  },
});
