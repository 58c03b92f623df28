import { infiniteQueryOptions } from '@tanstack/react-query';
import { listAuditLog } from './generated/sdk/audit-log.gen.ts';
import type { ListAuditLogData } from './generated/types.gen.ts';
import { read } from './result.ts';

export type { AuditEntry } from './generated/types.gen.ts';
export type AuditFilter = Pick<NonNullable<ListAuditLogData['query']>, 'actor' | 'action' | 'from' | 'to'>;

/** The log from its newest entry on; each page names where the next one begins. */
export const auditLogQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit-log', filter],
    queryFn: ({ pageParam, signal }) =>
      read(
        listAuditLog({
          query: { ...filter, limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
