import { queryOptions } from '@tanstack/react-query';
import type { BillingReconciliationControllerCreateData } from './generated/types.gen.ts';
import {
  billingReconciliationControllerCreate,
  billingReconciliationControllerList,
  billingReconciliationControllerShow,
} from './generated/sdk/billing-reconciliation.gen.ts';

import { readBody } from './result.ts';
import type { RowStatus } from './row-statuses.ts';

/** Null is not said. */
export interface Figures {
  readonly requests: number | null;
  readonly input_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly output_tokens: number | null;
  readonly amount_usd: string | null;
}

/** Difference is ours less theirs. */
export interface Sides {
  readonly ours: Figures | null;
  readonly theirs: Figures | null;
  readonly difference: Figures;
  readonly requests_of_unknown_cost: number;
}

export interface Reconciliation {
  readonly id: string;
  readonly created_at: string;
  readonly actor: string;
  readonly upstream: string;
  readonly time_zone: string;
  readonly first_day: string;
  readonly last_day: string;
  readonly file_sha256: string;
  readonly file_bytes: number;
  readonly parameters: { readonly tolerance_percent: string; readonly lines: number };
  readonly summary: { readonly rows: Readonly<Record<RowStatus, number>>; readonly totals: Sides };
}

export type ComparedRow = Sides & {
  readonly day: string;
  readonly model: string;
  readonly status: RowStatus;
};

export type ReconciliationInFull = Reconciliation & { readonly rows: readonly ComparedRow[] };
export type ReconciliationParams = NonNullable<BillingReconciliationControllerCreateData['query']>;

export const RECONCILIATIONS = ['reconciliations'] as const;

/** What was compared so far, the newest first. */
export const reconciliationsQuery = queryOptions({
  queryKey: RECONCILIATIONS,
  queryFn: ({ signal }) =>
    readBody<{ readonly items: readonly Reconciliation[] }>(
      billingReconciliationControllerList({ query: { limit: 200 }, signal }),
    ),
});

/** Never changes. */
export const reconciliationQuery = (id: string) =>
  queryOptions({
    queryKey: ['reconciliation', id],
    queryFn: ({ signal }) =>
      readBody<ReconciliationInFull>(billingReconciliationControllerShow({ path: { id }, signal })),
    staleTime: Infinity,
  });

/** Compares an upstream's invoice, the text of a CSV file, with our usage. */
export const reconcile = (csv: string, query: ReconciliationParams): Promise<ReconciliationInFull> =>
  readBody(billingReconciliationControllerCreate({ body: csv, query }));
