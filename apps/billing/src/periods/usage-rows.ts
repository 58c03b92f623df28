import { column, readRows } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

const archivedTableRow = z.object({ name: column.text });

/**
 * A SELECT of columns of the usage log, months that were moved to the archive included: what was billed stays in
 * the sums wherever its rows are kept.
 */
export async function usageRows(
  manager: Pick<EntityManager, 'query'>,
  columns: readonly string[],
): Promise<string> {
  const archived = await readRows(
    manager,
    archivedTableRow,
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'billing_archive' AND c.relname LIKE 'usage%' AND c.relkind = 'r' ORDER BY 1`,
  );
  return ['billing.usage', ...archived.map(({ name }) => name)]
    .map((table) => `SELECT ${columns.join(', ')} FROM ${table}`)
    .join(' UNION ALL ');
}
