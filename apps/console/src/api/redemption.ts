import { infiniteQueryOptions } from '@tanstack/react-query';
import {
  createRedemptionBatch,
  listRedemptionBatches,
  listRedemptionCodes,
  redeemCode,
  revokeRedemptionCodes,
} from './generated/sdk/redemption.gen.ts';
import type {
  CreateRedemptionBatchData,
  RedemptionBatch,
  RevokeRedemptionCodesData,
} from './generated/types.gen.ts';
import { readAll } from './read-all.ts';
import { read } from './result.ts';

export type {
  NewRedemptionBatch as NewBatch,
  RedemptionBatch as Batch,
  RedemptionCode as Code,
} from './generated/types.gen.ts';
export type CreateBatch = CreateRedemptionBatchData['body'];

export const BATCHES = ['redemption'] as const;

const readBatchPage = (limit: number, cursor: string | null, signal?: AbortSignal) =>
  read(
    listRedemptionBatches({
      query: { limit, ...(cursor === null ? {} : { cursor }) },
      ...(signal && { signal }),
    }),
  );

/** Batches, the newest first. */
export const batchesQuery = () =>
  infiniteQueryOptions({
    queryKey: [...BATCHES, 'batches'],
    queryFn: ({ pageParam, signal }) => readBatchPage(50, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

/** All batches. */
export const readBatches = () => readAll<RedemptionBatch, string>((cursor) => readBatchPage(200, cursor));

/** What became of the codes of a batch. */
export const codesQuery = (batchId: string) =>
  infiniteQueryOptions({
    queryKey: [...BATCHES, 'codes', batchId],
    queryFn: ({ pageParam, signal }) =>
      read(
        listRedemptionCodes({
          path: { id: batchId },
          query: pageParam === null ? {} : { cursor: pageParam },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

export const createBatch = (body: CreateBatch, idempotencyKey: string) =>
  read(createRedemptionBatch({ body, headers: { 'Idempotency-Key': idempotencyKey } }));

/** Takes back one code, or all of a batch that nobody has redeemed; answers how many. */
export const revokeCodes = (batchId: string, body: RevokeRedemptionCodesData['body']) =>
  read(revokeRedemptionCodes({ path: { id: batchId }, body }));

/** Gives a code's credit to whoever is signed in. */
export const redeem = (code: string) => read(redeemCode({ body: { code } }));
