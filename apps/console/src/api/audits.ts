import { queryOptions } from '@tanstack/react-query';
import { auditLedger as callAuditLedger, getAudit, listAudits } from './generated/sdk/ledger.gen.ts';
import { read } from './result.ts';

export type { LedgerAudit } from './generated/types.gen.ts';

/** How often it is looked how far one is. */
const POLL_MS = 1_000;

/** Audits the ledger, from the start or from where the last audit ended. */
export const auditLedger = (body: { from_start: boolean }) => read(callAuditLedger({ body }));

/** An audit, looked at until it has ended. */
export const auditQuery = (id: string) =>
  queryOptions({
    queryKey: ['audit', id],
    queryFn: ({ signal }) => read(getAudit({ path: { id }, signal })),
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? POLL_MS : false),
  });

/** The newest first. */
export const auditsQuery = queryOptions({
  queryKey: ['audits'],
  queryFn: async ({ signal }) => (await read(listAudits({ signal }))).items,
});
