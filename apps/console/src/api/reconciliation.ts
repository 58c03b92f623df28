import { queryOptions } from '@tanstack/react-query';
import {
  getReconciliation,
  listReconciliations,
  reconcile as callReconcile,
} from './generated/sdk/reconciliations.gen.ts';
import type { ReconcileData } from './generated/types.gen.ts';
import { read } from './result.ts';

export type {
  ComparedRow,
  InvoiceFigures as Figures,
  Reconciliation,
  ReconciliationInFull,
} from './generated/types.gen.ts';
export type ReconciliationParams = NonNullable<ReconcileData['query']>;

export const RECONCILIATIONS = ['reconciliations'] as const;

/** What was compared so far, the newest first. */
export const reconciliationsQuery = queryOptions({
  queryKey: RECONCILIATIONS,
  queryFn: ({ signal }) => read(listReconciliations({ query: { limit: 200 }, signal })),
});

/** Never changes. */
export const reconciliationQuery = (id: string) =>
  queryOptions({
    queryKey: ['reconciliation', id],
    queryFn: ({ signal }) => read(getReconciliation({ path: { id }, signal })),
    staleTime: Infinity,
  });

/** Compares an upstream's invoice, the text of a CSV file, with our usage. */
export const reconcile = (csv: string, query: ReconciliationParams) =>
  read(callReconcile({ body: csv, query }));
