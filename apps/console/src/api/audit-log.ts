import { infiniteQueryOptions } from '@tanstack/react-query';
import { billingAuditLogControllerList } from './generated/sdk/billing-audit-log.gen.ts';
import { bodyOf } from './result.ts';

export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly source: 'billing' | 'pricing';
  readonly actor: string;
  readonly role: string | null;
  readonly action: string;
  readonly object: string | null;
  readonly account_id: string | null;
  readonly reason: string | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly request_id: string | null;
  readonly address: string | null;
}

export interface AuditFilter {
  readonly actor?: string;
  /** An action, or with a dot at its end all that begin so. */
  readonly action?: string;
  readonly from?: string;
  readonly to?: string;
}

interface AuditPage {
  readonly items: readonly AuditEntry[];
  readonly next: string | null;
}

/** The log from its newest entry on; each page names where the next one begins. */
export const auditLogQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit-log', filter],
    queryFn: ({ pageParam, signal }) =>
      bodyOf<AuditPage>(
        billingAuditLogControllerList({
          query: { ...filter, limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
