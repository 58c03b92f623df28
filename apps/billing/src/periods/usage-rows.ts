import { column, httpError, readRows } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

type Runs = Pick<EntityManager, 'query'>;

const archivedTableRow = z.object({ name: column.text, is_gone: column.boolean });

/**
 * Sees to it that until the transaction ends no month is taken out, whose rows would be in neither of the tables that are read, and that
 * the table of none that is dropped goes. Whoever reads outside of a transaction is not kept from that.
 */
async function holdMonths(runs: Runs): Promise<void> {
  try {
    // First, as whoever takes a month out does.
    await runs.query('LOCK TABLE billing.usage_detached IN ROW SHARE MODE');
    await runs.query('LOCK TABLE ONLY billing.usage IN ACCESS SHARE MODE');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === NO_TRANSACTION)) throw error;
  }
}

const NO_TRANSACTION = '25P01';

/**
 * A SELECT of columns of the usage log, months that were moved to the archive included. Of a month that was dropped there
 * is no row, also where its table was restored from a dump to look at it: see {@link usageSums}. In a transaction it holds until
 * that ends.
 */
export async function usageRows(runs: Runs, columns: readonly string[]): Promise<string> {
  await holdMonths(runs);
  const archived = await readRows(
    runs,
    archivedTableRow,
    // A snapshot that is older than a move has the table where it was; to_regclass looks at where it is, as the planner does.
    `SELECT name, to_regclass(name) IS NULL AS is_gone FROM (
       SELECT DISTINCT format('billing_archive.%I', c.relname) AS name, format('%I.%I', n.nspname, c.relname) AS place
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname IN ('billing', 'billing_archive') AND c.relname LIKE 'usage%' AND c.relkind = 'r' AND c.relname NOT IN (
         SELECT to_char(month, '"usage_"YYYY_MM') FROM billing.usage_drop WHERE ended_at IS NOT NULL)) AS months
     WHERE to_regclass(name) IS NOT NULL OR to_regclass(place) IS NULL ORDER BY 1`,
  );
  // A snapshot that is older than the end of a drop has neither the rows nor what they came to.
  if (archived.some(({ is_gone: isGone }) => isGone))
    throw httpError(409, 'A month of the usage log was dropped just now. Try again.', null, 'service_busy');
  return ['billing.usage', ...archived.map(({ name }) => name)]
    .map((table) => `SELECT ${columns.join(', ')} FROM ${table}`)
    .join(' UNION ALL ');
}

/**
 * A SELECT of columns of all usage that was ever posted, to be added up: rows of the log and of the archive, with one as
 * their `requests`, and what rows that were dropped came to. What was billed stays in the sums wherever its rows went.
 *
 * @param columns those of `billing.usage_rollup`; times may be those of the quarter of an hour.
 */
export const usageSums = async (runs: Runs, columns: readonly string[]): Promise<string> =>
  `${await usageRows(runs, [...columns, '1::bigint AS requests'])}
   UNION ALL SELECT ${columns.join(', ')}, requests FROM billing.usage_rollup`;
