import type { Logger } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { type ResumedWork, startResumedWork } from '../periods/resumed-work.ts';
import { createReplicaReading } from './audit-on-replica.ts';
import { listOpenAudits } from './audit-runs.ts';
import { runCompleteAudit } from './complete-audit.ts';

/** Runs complete audits, one after the other; what one finds is in the log at once. */
export function startAuditWork(
  database: DataSource,
  replicaUrl: string | undefined,
  logger: Logger,
): ResumedWork {
  const onReplica = createReplicaReading(database, replicaUrl, logger);
  return startResumedWork({
    failed: (what, reason) =>
      logger.warn(
        { event: 'ledger_audit_failed', ...what, reason },
        'a complete audit of the ledger broke off, and goes on',
      ),
    async look(signal, attempt) {
      for (const id of await listOpenAudits(database))
        await attempt({ audit: id }, async () => {
          const findings = await runCompleteAudit(database, id, { onReplica, signal });
          const [first] = findings?.differences ?? [];
          if (!findings || !first) return;
          const { check, number, account_id } = first;
          logger.error(
            {
              event: 'ledger_audit_differs',
              audit: id,
              differences: findings.found,
              check,
              number,
              account_id,
            },
            'a complete audit of the ledger found differences: GET /api/ledger/audits lists them',
          );
        });
    },
  });
}
