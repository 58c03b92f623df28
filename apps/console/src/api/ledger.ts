import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import {
  billingLedgerControllerList,
  billingLedgerControllerShow,
} from './generated/sdk/billing-ledger.gen.ts';
import {
  billingOperationsControllerAdjustment,
  billingOperationsControllerCorrection,
  billingOperationsControllerGrant,
  billingOperationsControllerPayment,
  billingOperationsControllerPayout,
  billingOperationsControllerRefund,
  billingOperationsControllerWriteOff,
} from './generated/sdk/billing-operations.gen.ts';
import { bodyOf } from './result.ts';
import type { TransactionKind } from './transaction-kinds.ts';

/** A transaction as those who keep the books see it; amounts are decimal USD. */
export interface Transaction {
  readonly number: number;
  readonly kind: TransactionKind;
  readonly account_id: string;
  /** In lists. */
  readonly account_name?: string | null;
  readonly request_id: string | null;
  readonly corrects: number | null;
  /** What it did to the customer's balance. */
  readonly amount_usd: string;
  readonly occurred_at: string;
  readonly booked_at: string;
  readonly posted_at: string;
  readonly reason: string | null;
  readonly actor: string | null;
  readonly idempotency_key: string | null;
  readonly entries: readonly { readonly ledger_account: string; readonly amount_usd: string }[];
}

/** One transaction, with the numbers of those that correct it. */
export type TransactionInFull = Transaction & { readonly corrected_by: readonly number[] };

export interface TransactionPage {
  readonly items: readonly Transaction[];
  readonly next: number | null;
}

export interface LedgerFilter {
  /** Without it those of all accounts. */
  readonly account_id?: string;
  readonly kind?: TransactionKind;
  readonly from?: string;
  readonly to?: string;
}

export const LEDGER = ['ledger'] as const;

/** The ledger from its highest number down. */
export const ledgerQuery = (filter: LedgerFilter, limit = 50) =>
  infiniteQueryOptions({
    queryKey: [...LEDGER, 'list', filter, limit],
    queryFn: ({ pageParam, signal }) =>
      bodyOf<TransactionPage>(
        billingLedgerControllerList({
          query: {
            account_id: 'all',
            ...filter,
            limit,
            ...(pageParam === null ? {} : { cursor: pageParam }),
          },
          signal,
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  });

export const transactionQuery = (number: number) =>
  queryOptions({
    queryKey: [...LEDGER, 'one', number],
    queryFn: ({ signal }) =>
      bodyOf<TransactionInFull>(billingLedgerControllerShow({ path: { number: String(number) }, signal })),
  });

/** What people may enter for an account. */
export const ACCOUNT_OPERATIONS = ['grant', 'payment', 'payout', 'adjustment', 'write_off'] as const;
export type AccountOperation = (typeof ACCOUNT_OPERATIONS)[number];

const ENTER = {
  grant: billingOperationsControllerGrant,
  payment: billingOperationsControllerPayment,
  payout: billingOperationsControllerPayout,
  adjustment: billingOperationsControllerAdjustment,
  write_off: billingOperationsControllerWriteOff,
} as const;

const headersOf = (idempotencyKey: string) => ({ 'Idempotency-Key': idempotencyKey });

/** Enters a transaction; sent again with the same key it is entered once. */
export const enter = (
  kind: AccountOperation,
  body: { account_id: string; amount_usd: string; reason: string },
  idempotencyKey: string,
): Promise<Transaction> => bodyOf(ENTER[kind]({ body, headers: headersOf(idempotencyKey) }));

/** Gives a usage transaction back: the amount, or all that is left of it. */
export const refund = (
  body: { transaction: number; amount_usd?: string; reason: string },
  idempotencyKey: string,
): Promise<Transaction> =>
  bodyOf(billingOperationsControllerRefund({ body, headers: headersOf(idempotencyKey) }));

/** Undoes a transaction that somebody entered, once. */
export const correct = (
  body: { transaction: number; reason: string },
  idempotencyKey: string,
): Promise<Transaction> =>
  bodyOf(billingOperationsControllerCorrection({ body, headers: headersOf(idempotencyKey) }));
