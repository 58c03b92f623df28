import type { DataSource } from 'typeorm';

/** Those of the requests that are neither posted nor kept to be tried again, nor rejected: their events are still under way, or lost. */
export async function missingUsage(database: DataSource, requestIds: readonly string[]): Promise<string[]> {
  const rows: { request_id: string }[] = await database.query(
    `SELECT request_id FROM billing.ledger_transaction WHERE request_id = ANY($1)
     UNION ALL SELECT request_id FROM billing.usage_rejected WHERE request_id = ANY($1)`,
    [requestIds],
  );
  const known = new Set(rows.map(({ request_id }) => request_id));
  return requestIds.filter((id) => !known.has(id));
}
