import { infiniteQueryOptions } from '@tanstack/react-query';
import type { BillingRedemptionControllerCreateData } from './generated/types.gen.ts';
import {
  billingRedemptionControllerCodes,
  billingRedemptionControllerCreate,
  billingRedemptionControllerList,
  billingRedemptionControllerRedeem,
  billingRedemptionControllerRevoke,
} from './generated/sdk/billing-redemption.gen.ts';
import { bodyOf } from './result.ts';

export interface Batch {
  readonly id: string;
  /** Decimal USD that each code gives. */
  readonly amount_usd: string;
  readonly expires_at: string | null;
  readonly note: string;
  readonly created_by: string;
  readonly created_at: string;
  readonly count: number;
  readonly redeemed: number;
  readonly revoked: number;
}

export interface Code {
  readonly id: string;
  readonly masked: string;
  readonly status: 'open' | 'redeemed' | 'revoked';
  readonly redeemed_at: string | null;
  readonly redeemed_by: string | null;
  readonly transaction: number | null;
  readonly revoked_at: string | null;
  readonly revoked_why: string | null;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** The only answer that holds the codes. */
export interface NewBatch {
  readonly id: string;
  readonly codes: readonly string[];
}
export type CreateBatch = BillingRedemptionControllerCreateData['body'];

export const BATCHES = ['redemption'] as const;

/** Batches, the newest first. */
export const batchesQuery = () =>
  infiniteQueryOptions({
    queryKey: [...BATCHES, 'batches'],
    queryFn: ({ pageParam, signal }) =>
      bodyOf<Page<Batch>>(
        billingRedemptionControllerList({
          query: pageParam === null ? {} : { cursor: pageParam },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

/** What became of the codes of a batch. */
export const codesQuery = (batchId: string) =>
  infiniteQueryOptions({
    queryKey: [...BATCHES, 'codes', batchId],
    queryFn: ({ pageParam, signal }) =>
      bodyOf<Page<Code>>(
        billingRedemptionControllerCodes({
          path: { id: batchId },
          query: pageParam === null ? {} : { cursor: pageParam },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

export const createBatch = (body: CreateBatch, idempotencyKey: string): Promise<NewBatch> =>
  bodyOf(billingRedemptionControllerCreate({ body, headers: { 'Idempotency-Key': idempotencyKey } }));

/** Takes back one code, or all of a batch that nobody has redeemed; answers how many. */
export const revokeCodes = (
  batchId: string,
  body: { reason: string; code_id?: string },
): Promise<{ readonly revoked: number }> =>
  bodyOf(billingRedemptionControllerRevoke({ path: { id: batchId }, body }));

/** Gives a code's credit to whoever is signed in. */
export const redeem = (code: string): Promise<{ readonly number: number; readonly amount_usd: string }> =>
  bodyOf(billingRedemptionControllerRedeem({ body: { code } }));
