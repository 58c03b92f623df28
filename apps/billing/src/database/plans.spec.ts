// Reads our own source: whoever asks the log or the ledger is listed with the plan test that runs it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = join(import.meta.dirname, '..');
/** In SQL, as a table that rows are copied into, or through what reads the months that were taken out as well. */
const ASKS =
  /\b(FROM|JOIN|UPDATE|INTO) \(?billing\.(usage|ledger_transaction|ledger_entry)\b|'billing\.(usage|ledger_transaction|ledger_entry)'|\busage(Rows|Sums)\(|\bbilling_archive\.\$\{/;

/** By the spec that runs what stands in each file, in books of a hundred million requests. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  'exports/export-plans.spec.ts': [
    'exports/sources/focus-groups.ts',
    'exports/sources/focus.ts',
    'exports/sources/ledger.ts',
    'exports/sources/usage.ts',
  ],
  'ledger/ledger-plans.spec.ts': [
    'ledger/audit-balances.ts',
    'ledger/audit-range.ts',
    'ledger/audit-runs.ts',
    'ledger/audit-sums.ts',
    'ledger/audit.ts',
    'ledger/billed-request.ts',
    'ledger/complete-audit.ts',
    'ledger/plan-operation.ts',
    'ledger/transaction-list.ts',
    'ledger/transactions.ts',
    'periods/month-sums.ts',
    'usage/served-hours.ts',
    'usage/usage-hours.ts',
  ],
  'periods/period-plans.spec.ts': [
    'periods/close-period.ts',
    'periods/digest.ts',
    'periods/totals.ts',
    'periods/usage-rows.ts',
    'periods/verify-chain.ts',
  ],
  'reports/report-plans.spec.ts': [
    'reconciliation/our-usage.ts',
    'requests/request-totals.ts',
    'rerate/usage-rows.ts',
  ],
  'usage/drop-plans.spec.ts': ['usage/detached-months.ts', 'usage/drop-partition.ts'],
  'usage/posting-plans.spec.ts': ['ledger/journal.ts', 'usage/post-batch.ts', 'usage/posted-requests.ts'],
  'usage/query-plans.spec.ts': [
    'ledger/margins.ts',
    'overview/read-overview.ts',
    'usage/usage-log.ts',
    'usage/usage-summary.ts',
  ],
};
/** They move whole months, or say which there are. */
const OF_WHOLE_MONTHS = ['usage/detach-partition.ts', 'usage/partitions.ts'];

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' });

test('each file that asks the log or the ledger is run by a plan test', () => {
  const asking = files.filter(
    (name) =>
      /(?<!\.spec)\.ts$/.test(name) &&
      !name.startsWith('database/migrations/') &&
      ASKS.test(readFileSync(join(SOURCE, name), 'utf8')),
  );
  expect(asking.length).toBeGreaterThan(20);
  const known = new Set([...Object.values(ASKED).flat(), ...OF_WHOLE_MONTHS]);
  expect(asking.filter((name) => !known.has(name))).toEqual([]);
  expect([...known].filter((name) => !asking.includes(name))).toEqual([]);
});

test('plan tests are those that are listed', () =>
  expect(files.filter((name) => name.endsWith('-plans.spec.ts')).sort()).toEqual(Object.keys(ASKED).sort()));
