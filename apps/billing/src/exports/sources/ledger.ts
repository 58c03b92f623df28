import type { SqlColumn } from '../columns.ts';
import type { ExportPlan } from '../export-job.ts';
import { toCondition } from './filter.ts';
import { NumberPages, readExtent } from './number-pages.ts';
import type { Readers } from './source.ts';

const NULLABLE = { nullable: true } as const;
const FREE = { nullable: true, free: true } as const;

/** A row for each entry; a transaction that moved nothing has one without an entry, so that no number is missing. */
export const LEDGER_COLUMNS: readonly SqlColumn[] = [
  { name: 'number', type: 'int64', sql: 't.number' },
  { name: 'kind', type: 'text', sql: 't.kind' },
  { name: 'account_id', type: 'text', sql: 't.account_id', uuid: true },
  { name: 'occurred_at', type: 'timestamp', sql: 't.occurred_at' },
  { name: 'booked_at', type: 'timestamp', sql: 't.booked_at' },
  { name: 'posted_at', type: 'timestamp', sql: 't.posted_at' },
  { name: 'request_id', type: 'text', sql: 'coalesce(t.request_id, t.refunded_request)', ...FREE },
  { name: 'idempotency_key', type: 'text', sql: 't.idempotency_key', ...FREE },
  { name: 'actor', type: 'text', sql: 't.actor', ...FREE },
  { name: 'reason', type: 'text', sql: 't.reason', ...FREE },
  { name: 'corrects', type: 'int64', sql: 't.corrects', ...NULLABLE },
  { name: 'ledger_account', type: 'text', sql: 'e.ledger_account', ...FREE },
  { name: 'amount_usd', type: 'usd', sql: 'e.amount_pico', summed: true, ...NULLABLE },
  { name: 'first_number', type: 'int64', sql: 't.number - t.numbers + 1' },
];

export async function ledgerSource(readers: Readers, plan: ExportPlan): Promise<NumberPages> {
  const inAll = toCondition(plan.filters, plan.watermark, 1);
  const extent = await readExtent(
    readers[0],
    `SELECT sum(greatest(entries, 1)) AS rows, min(number) AS first, max(number) AS last FROM (
       SELECT t.number, count(e.number) AS entries
       FROM (SELECT number FROM billing.ledger_transaction WHERE ${inAll.text}) t
       LEFT JOIN billing.ledger_entry e ON e.number = t.number GROUP BY t.number) AS counted`,
    inAll.values,
  );
  const onPage = toCondition(plan.filters, plan.watermark, 4);
  return new NumberPages(readers, extent, {
    columns: LEDGER_COLUMNS,
    from: `FROM (SELECT * FROM billing.ledger_transaction WHERE number BETWEEN $1 AND $2 AND ${onPage.text}) t
      LEFT JOIN billing.ledger_entry e ON e.number = t.number`,
    number: 't.number',
    within: 'ledger_account',
    values: onPage.values,
    numbersAtOnce: 1_024,
  });
}
