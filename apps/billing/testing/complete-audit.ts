import { waitFor } from '@tollgate/harness';
import { type AuditReport } from '../src/ledger/audit.ts';
import { beginAudit, findAudit } from '../src/ledger/audit-runs.ts';
import { auditAccountSums, auditSums } from '../src/ledger/audit-sums.ts';
import { type AuditDatabase, type OnReplica, runCompleteAudit } from '../src/ledger/complete-audit.ts';
import type { Reader } from '../src/ledger/transactions.ts';

interface Options {
  readonly isFromStart?: boolean;
  readonly slice?: number;
  readonly onReplica?: OnReplica;
}

const startedBy = 'a@b.example';

export const beginTestAudit = (database: AuditDatabase, isFromStart = true): Promise<string> =>
  beginAudit(database, { isFromStart, startedBy });

/** A complete audit, from its beginning to its end; where another one that runs is that one, it is waited for. */
export async function completeAudit(
  database: AuditDatabase,
  { isFromStart = true, onReplica = (work) => work(database), ...options }: Options = {},
): Promise<AuditReport> {
  const id = await beginTestAudit(database, isFromStart);
  await runCompleteAudit(database, id, { onReplica, ...options });
  const { report, accounts } = await waitFor(async () => {
    const found = await findAudit(database, id);
    return found?.ended_at ? found : undefined;
  }, 'the end of an audit');
  return {
    after: report.after,
    to: report.to,
    transactions: report.transactions,
    entries: report.entries,
    accounts,
    imbalancePico: BigInt(report.imbalance),
    differences: report.differences.map(({ check, number, account_id, expected, found }) => ({
      check,
      ...(number === null ? {} : { number }),
      ...(account_id === null ? {} : { accountId: account_id }),
      ...(expected === null ? {} : { expectedPico: BigInt(expected) }),
      ...(found === null ? {} : { foundPico: BigInt(found) }),
    })),
  };
}

/** Every sum, worked out again in one slice. */
export const auditAllSums = async (reader: Reader) => [
  ...(await auditSums(reader, { from: '-infinity', until: 'infinity', after: null, upTo: null })),
  ...(await auditAccountSums(reader, null)),
];
