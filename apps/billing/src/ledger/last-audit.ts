import type { AnswerOf, systemState } from '@tollgate/api';
import { formatUsd } from '@tollgate/money';
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

const SHOWN = 100;

/** A report as the API answers it; of many differences the first hundred. */
export const showReport = (
  report: AuditReport,
): Omit<NonNullable<AnswerOf<typeof systemState.showSystem>['audit']>, 'at'> => ({
  after: report.after,
  to: report.to,
  transactions: report.transactions,
  entries: report.entries,
  accounts: report.accounts,
  imbalance_usd: formatUsd(report.imbalancePico),
  difference_count: report.differences.length,
  differences: report.differences.slice(0, SHOWN).map((difference) => ({
    check: difference.check,
    number: difference.number ?? null,
    account_id: difference.accountId ?? null,
    expected_usd: difference.expectedPico === undefined ? null : formatUsd(difference.expectedPico),
    found_usd: difference.foundPico === undefined ? null : formatUsd(difference.foundPico),
  })),
});
