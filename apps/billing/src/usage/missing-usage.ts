import { column, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';

const missingUsageRow = z.object({ request_id: column.text });

/** Those of the requests that are neither posted nor kept to be tried again, nor rejected: their events are still under way, or lost. */
export async function missingUsage(database: DataSource, requestIds: readonly string[]): Promise<string[]> {
  const rows = await readRows(
    database,
    missingUsageRow,
    `SELECT request_id FROM billing.ledger_transaction WHERE request_id = ANY($1)
     UNION ALL SELECT request_id FROM billing.usage_rejected WHERE request_id = ANY($1)`,
    [requestIds],
  );
  const known = new Set(rows.map(({ request_id }) => request_id));
  return requestIds.filter((id) => !known.has(id));
}
