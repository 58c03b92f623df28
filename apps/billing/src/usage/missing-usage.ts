import { column, readRows } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { lookUpPosted } from './posted-requests.ts';

const keptRow = z.object({ request_id: column.text });

/** Those of the requests that are neither posted nor kept to be tried again, nor rejected: their events are still under way, or lost. */
export async function missingUsage(database: DataSource, requestIds: readonly string[]): Promise<string[]> {
  // An event that leaves those that are kept is posted in the step before.
  const kept = await readRows(
    database,
    keptRow,
    'SELECT request_id FROM billing.usage_rejected WHERE request_id = ANY($1)',
    [requestIds],
  );
  const { posted } = await lookUpPosted(database, requestIds);
  const isKept = new Set(kept.map(({ request_id }) => request_id));
  return requestIds.filter((id) => !posted.has(id) && !isKept.has(id));
}
