import type { Logger } from '@tollgate/platform';
import { type AuditReport, auditNew } from './audit.ts';
import { findDoubts } from './audit-runs.ts';
import type { AuditDatabase } from './complete-audit.ts';
import type { LastAudit } from './last-audit.ts';
import type { LedgerMetrics } from './ledger-metrics.ts';

export const AUDIT_EVERY_MS = 60_000;

/**
 * Audits what is new, every so often; the answers go to the metrics, differences to the log as well. What a complete audit found
 * counts in the metrics until another one finds it put right.
 */
export function startAuditJob(parts: {
  readonly database: AuditDatabase;
  readonly lastAudit: LastAudit;
  readonly metrics: LedgerMetrics;
  readonly logger: Logger;
  readonly everyMs: number;
}): { stop(): Promise<void> } {
  const { database, lastAudit, metrics, logger } = parts;
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= auditNew(database)
      .then(async (report) => heard(report, await findDoubts(database)))
      .catch((error: Error) =>
        logger.warn(
          { event: 'ledger_audit_failed', reason: error.message },
          'the ledger could not be audited',
        ),
      )
      .finally(() => {
        running = undefined;
      });
  };
  const heard = (report: AuditReport, doubts: number) => {
    lastAudit.note(report);
    metrics.audited(report, doubts);
    const [first] = report.differences;
    if (!first) return;
    const { check, number, accountId } = first;
    logger.error(
      {
        event: 'ledger_audit_differs',
        differences: report.differences.length,
        check,
        number,
        account_id: accountId,
      },
      'an audit of the ledger found differences: list them with POST /api/ledger/audits',
    );
  };
  run();
  const timer = setInterval(run, parts.everyMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
