import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import {
  cancelExport as callCancelExport,
  createExport as callCreateExport,
  listExports,
  showManifest,
} from './generated/sdk/exports.gen.ts';
import {
  changeSchedule,
  createSchedule as callCreateSchedule,
  listSchedules,
  removeSchedule as callRemoveSchedule,
} from './generated/sdk/export-schedules.gen.ts';
import type {
  CreateExportData,
  CreateScheduleData,
  ExportJob,
  ExportSchedule,
  ListExportsData,
} from './generated/types.gen.ts';
import { readAll } from './read-all.ts';
import { read } from './result.ts';

export type {
  ExportJob,
  ExportManifest as Manifest,
  ExportSchedule as Schedule,
} from './generated/types.gen.ts';
type ExportsQuery = NonNullable<ListExportsData['query']>;
export type ExportKind = ExportJob['kind'];
export type ExportFormat = ExportJob['format'];
export type ExportStatus = ExportJob['status'];
export type ExportSort = NonNullable<ExportsQuery['sort']>;
export type CreateExport = CreateExportData['body'];
export type CreateSchedule = CreateScheduleData['body'];

export const EXPORTS = ['exports'] as const;
export const SCHEDULES = ['export-schedules'] as const;

const POLL_MS = 1_000;

export const isOpen = ({ status }: Pick<ExportJob, 'status'>): boolean =>
  status === 'queued' || status === 'running';

/** The newest exports, of one schedule or all, looked at again as long as one is not finished. */
export const exportsQuery = (page: ExportsQuery) =>
  queryOptions({
    queryKey: [...EXPORTS, page],
    queryFn: ({ signal }) => read(listExports({ query: page, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(isOpen) ? POLL_MS : false),
  });

const PAGE = 200;

/** All exports that fit. */
export const readExports = (filter: ExportsQuery) =>
  readAll<ExportJob, number>(async (offset) => {
    const from = offset ?? 0;
    const { items, total } = await read(listExports({ query: { ...filter, limit: PAGE, offset: from } }));
    return { items, next: from + PAGE < total ? from + PAGE : null };
  });

/** Never changes. */
export const manifestQuery = (id: string) =>
  queryOptions({
    queryKey: ['export-manifest', id],
    queryFn: ({ signal }) => read(showManifest({ path: { id }, signal })),
    staleTime: Infinity,
  });

export const createExport = (body: CreateExport) => read(callCreateExport({ body }));

export const cancelExport = (id: string) => read(callCancelExport({ path: { id } }));

/** Where a file of an export is downloaded; parts count from 1. */
export const fileUrl = (id: string, part: number): string => `/api/exports/${id}/file?part=${part}`;

export const schedulesQuery = queryOptions({
  queryKey: SCHEDULES,
  queryFn: ({ signal }) => read(listSchedules({ signal })),
});

export const createSchedule = (body: CreateSchedule) => read(callCreateSchedule({ body }));

export const setScheduleStatus = (id: string, status: ExportSchedule['status']) =>
  read(changeSchedule({ path: { id }, body: { status } }));

export const removeSchedule = (id: string) => read(callRemoveSchedule({ path: { id } }));
