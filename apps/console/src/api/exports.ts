import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  BillingExportsControllerCreateData,
  BillingSchedulesControllerCreateData,
} from './generated/types.gen.ts';
import {
  billingExportsControllerCancel,
  billingExportsControllerCreate,
  billingExportsControllerList,
  billingExportsControllerManifest,
} from './generated/sdk/billing-exports.gen.ts';
import {
  billingSchedulesControllerChange,
  billingSchedulesControllerCreate,
  billingSchedulesControllerList,
  billingSchedulesControllerRemove,
} from './generated/sdk/billing-schedules.gen.ts';
import { bodyOf } from './result.ts';

export type ExportKind = 'usage' | 'ledger' | 'focus';
export type ExportFormat = 'csv' | 'parquet' | 'jsonl';
export type ExportStatus = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** An export and how far it is. */
export interface ExportJob {
  readonly id: string;
  readonly status: ExportStatus;
  /** From 0 to 1; null while nobody knows how much there is. */
  readonly progress: number | null;
  readonly kind: ExportKind;
  readonly format: ExportFormat;
  readonly from: string;
  readonly to: string;
  readonly account_id: string | null;
  readonly model: string | null;
  readonly key_id: string | null;
  readonly watermark: number;
  readonly requested_by: string;
  readonly schedule_id: string | null;
  readonly rows: { readonly done: number; readonly of: number | null };
  readonly bytes: number;
  readonly eta_s: number | null;
  readonly error: string | null;
  readonly created_at: string;
  readonly finished_at: string | null;
  /** When its files were removed; null while they are there. */
  readonly files_removed_at: string | null;
}

/** What is in an export that is done. */
export interface Manifest {
  readonly kind: ExportKind;
  readonly format: ExportFormat;
  readonly watermark: number;
  readonly rows: number;
  readonly sums: Readonly<Record<string, string>>;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly files: readonly {
    readonly name: string;
    readonly rows: number;
    readonly bytes: number;
    readonly sha256: string;
  }[];
}

export interface Schedule {
  readonly id: string;
  readonly name: string;
  readonly kind: ExportKind;
  readonly format: ExportFormat;
  readonly account_id: string | null;
  readonly every: 'day' | 'month';
  readonly day: number;
  readonly hour: number;
  readonly time_zone: string;
  readonly after_close: boolean;
  readonly status: 'active' | 'paused';
  readonly next: {
    readonly from: string;
    readonly to: string;
    readonly due_at: string;
    readonly waits_for_close: boolean;
  };
  readonly last: {
    readonly export_id: string;
    readonly status: ExportStatus;
    readonly from: string;
    readonly asked_at: string;
  } | null;
  readonly created_by: string;
}

export type CreateExport = BillingExportsControllerCreateData['body'];
export type CreateSchedule = BillingSchedulesControllerCreateData['body'];

export const EXPORTS = ['exports'] as const;
export const SCHEDULES = ['export-schedules'] as const;

const POLL_MS = 1_000;

export const isOpen = ({ status }: Pick<ExportJob, 'status'>): boolean =>
  status === 'queued' || status === 'running';

/** The newest exports, of one schedule or all, looked at again as long as one is not finished. */
export const exportsQuery = (page: { limit: number; offset: number; schedule_id?: string }) =>
  queryOptions({
    queryKey: [...EXPORTS, page],
    queryFn: ({ signal }) =>
      bodyOf<{ readonly items: readonly ExportJob[]; readonly total: number }>(
        billingExportsControllerList({ query: page, signal }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(isOpen) ? POLL_MS : false),
  });

/** Never changes. */
export const manifestQuery = (id: string) =>
  queryOptions({
    queryKey: ['export-manifest', id],
    queryFn: ({ signal }) => bodyOf<Manifest>(billingExportsControllerManifest({ path: { id }, signal })),
    staleTime: Infinity,
  });

export const createExport = (body: CreateExport): Promise<ExportJob> =>
  bodyOf(billingExportsControllerCreate({ body }));

export const cancelExport = (id: string): Promise<void> =>
  bodyOf(billingExportsControllerCancel({ path: { id } }));

/** Where a file of an export is downloaded; parts count from 1. */
export const fileUrl = (id: string, part: number): string => `/api/exports/${id}/file?part=${part}`;

export const schedulesQuery = queryOptions({
  queryKey: SCHEDULES,
  queryFn: ({ signal }) =>
    bodyOf<{ readonly items: readonly Schedule[] }>(billingSchedulesControllerList({ signal })),
});

export const createSchedule = (body: CreateSchedule): Promise<Schedule> =>
  bodyOf(billingSchedulesControllerCreate({ body }));

export const setScheduleStatus = (id: string, status: Schedule['status']): Promise<Schedule> =>
  bodyOf(billingSchedulesControllerChange({ path: { id }, body: { status } }));

export const removeSchedule = (id: string): Promise<void> =>
  bodyOf(billingSchedulesControllerRemove({ path: { id } }));
