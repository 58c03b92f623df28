import { Gauge, type Registry } from 'prom-client';
import type { AuditReport } from './audit.ts';

/** What Prometheus is told of the ledger. */
export interface LedgerMetrics {
  /** @param doubts what complete audits found that none has found put right since. */
  audited(report: AuditReport, doubts: number): void;
}

export function createLedgerMetrics(metrics: Registry): LedgerMetrics {
  const registers = [metrics];
  const imbalance = new Gauge({
    name: 'tollgate_ledger_imbalance_pico',
    help: 'Sum of the entries that the last audit looked at, in pico-USD: zero, or the books are wrong',
    registers,
  });
  const differences = new Gauge({
    name: 'tollgate_ledger_audit_differences',
    help: 'Differences that the last audit found, and the last complete one: zero, or the books are wrong',
    registers,
  });
  const lastNumber = new Gauge({
    name: 'tollgate_ledger_audited_number',
    help: 'The last ledger number that an audit has looked at',
    registers,
  });
  const auditedAt = new Gauge({
    name: 'tollgate_ledger_audited_timestamp_seconds',
    help: 'When the last audit ended, in Unix time',
    registers,
  });
  return {
    audited(report, doubts) {
      imbalance.set(Number(report.imbalancePico));
      differences.set(report.differences.length + doubts);
      lastNumber.set(report.to);
      auditedAt.setToCurrentTime();
    },
  };
}
