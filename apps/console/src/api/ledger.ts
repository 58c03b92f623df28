import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { getTransaction, listTransactions, sumTransactions } from './generated/sdk/ledger.gen.ts';
import {
  enterAdjustment,
  enterCorrection,
  enterGrant,
  enterPayment,
  enterPayout,
  enterRefund,
  enterWriteOff,
} from './generated/sdk/ledger-operations.gen.ts';
import type { EnterGrantData, ListedTransaction, ListTransactionsData } from './generated/types.gen.ts';
import { readAll } from './read-all.ts';
import { read } from './result.ts';

export type { ListedTransaction, ShownTransaction, Transaction } from './generated/types.gen.ts';

/** Without an account those of all. */
export type LedgerFilter = Omit<NonNullable<ListTransactionsData['query']>, 'cursor' | 'limit'>;

export type LedgerSort = NonNullable<LedgerFilter['sort']>;

export const LEDGER = ['ledger'] as const;

const readPage = (filter: LedgerFilter, limit: number, cursor: string | null, signal?: AbortSignal) =>
  read(
    listTransactions({
      query: { account_id: 'all', ...filter, limit, ...(cursor === null ? {} : { cursor }) },
      ...(signal && { signal }),
    }),
  );

/** All transactions that fit. */
export const readTransactions = (filter: LedgerFilter) =>
  readAll<ListedTransaction, string>((cursor) => readPage(filter, 500, cursor));

/** The ledger from its highest number down. */
export const ledgerQuery = (filter: LedgerFilter, limit = 50) =>
  infiniteQueryOptions({
    queryKey: [...LEDGER, 'list', filter, limit],
    queryFn: ({ pageParam, signal }) => readPage(filter, limit, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

/** What all transactions that fit did to balances together. */
export const ledgerTotalsQuery = ({ sort: _, ...filter }: LedgerFilter) =>
  queryOptions({
    queryKey: [...LEDGER, 'totals', filter],
    queryFn: ({ signal }) => read(sumTransactions({ query: { account_id: 'all', ...filter }, signal })),
  });

export const transactionQuery = (number: number) =>
  queryOptions({
    queryKey: [...LEDGER, 'one', number],
    queryFn: ({ signal }) => read(getTransaction({ path: { number: String(number) }, signal })),
  });

/** What people may enter for an account. */
export const ACCOUNT_OPERATIONS = ['grant', 'payment', 'payout', 'adjustment', 'write_off'] as const;
export type AccountOperation = (typeof ACCOUNT_OPERATIONS)[number];

const ENTER = {
  grant: enterGrant,
  payment: enterPayment,
  payout: enterPayout,
  adjustment: enterAdjustment,
  write_off: enterWriteOff,
} as const;

const idempotencyHeaders = (idempotencyKey: string) => ({ 'Idempotency-Key': idempotencyKey });

/** Enters a transaction; sent again with the same key it is entered once. */
export const enter = (kind: AccountOperation, body: EnterGrantData['body'], idempotencyKey: string) =>
  read(ENTER[kind]({ body, headers: idempotencyHeaders(idempotencyKey) }));

/** Gives back what a request cost: the amount, or all that is left of it. */
export const refund = (
  body: { request_id: string; amount_usd?: string; reason: string },
  idempotencyKey: string,
) => read(enterRefund({ body, headers: idempotencyHeaders(idempotencyKey) }));

/** Undoes a transaction that somebody entered, once. */
export const correct = (body: { transaction: number; reason: string }, idempotencyKey: string) =>
  read(enterCorrection({ body, headers: idempotencyHeaders(idempotencyKey) }));
