import type { AuditReport } from './audit.ts';

/** The newest audit that this process made of the ledger. */
export interface LastAudit {
  note(report: AuditReport): void;
  get(): { readonly at: Date; readonly report: AuditReport } | null;
}

export function createLastAudit(): LastAudit {
  let last: ReturnType<LastAudit['get']> = null;
  return {
    note(report) {
      last = { at: new Date(), report };
    },
    get: () => last,
  };
}
