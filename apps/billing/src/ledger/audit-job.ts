import type { Logger } from '@tollgate/platform';
import type { AuditReport, LedgerAudits } from './audit.ts';
import type { LastAudit } from './last-audit.ts';
import type { LedgerMetrics } from './ledger-metrics.ts';

export const AUDIT_EVERY_MS = 60_000;

/** Audits what is new, every so often; the answers go to the metrics, differences to the log as well. */
export function startAuditJob(parts: {
  readonly audits: LedgerAudits;
  readonly lastAudit: LastAudit;
  readonly metrics: LedgerMetrics;
  readonly logger: Logger;
  readonly everyMs: number;
}): { stop(): Promise<void> } {
  const { lastAudit, metrics, logger } = parts;
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= parts.audits
      .incremental()
      .then(heard, (error: Error) =>
        logger.warn(
          { event: 'ledger_audit_failed', reason: error.message },
          'the ledger could not be audited',
        ),
      )
      .finally(() => {
        running = undefined;
      });
  };
  const heard = (report: AuditReport) => {
    lastAudit.note(report);
    metrics.audited(report);
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
