import { infiniteQueryOptions } from '@tanstack/react-query';
import { listAuditLog } from './generated/sdk/audit-log.gen.ts';
import type { AuditEntry, ListAuditLogData } from './generated/types.gen.ts';
import { readAll } from './read-all.ts';
import { read } from './result.ts';

export type { AuditEntry } from './generated/types.gen.ts';
export type AuditFilter = Pick<
  NonNullable<ListAuditLogData['query']>,
  'actor' | 'action' | 'from' | 'to' | 'sort'
>;
export type AuditSort = NonNullable<AuditFilter['sort']>;

const readPage = (filter: AuditFilter, limit: number, cursor: string | null, signal?: AbortSignal) =>
  read(
    listAuditLog({
      query: { ...filter, limit, ...(cursor === null ? {} : { cursor }) },
      ...(signal && { signal }),
    }),
  );

/** The log from its newest entry on; each page names where the next one begins. */
export const auditLogQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit-log', filter],
    queryFn: ({ pageParam, signal }) => readPage(filter, 50, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

/** All of it that fits. */
export const readAuditLog = (filter: AuditFilter) =>
  readAll<AuditEntry, string>((cursor) => readPage(filter, 200, cursor));
