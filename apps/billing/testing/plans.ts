import type { DataSource } from 'typeorm';

/** A scan of a table or an index, as the database did it. */
export interface Scan {
  readonly kind: string;
  readonly table: string;
  /** That it found, and that it looked at for nothing. */
  readonly found: number;
  readonly removed: number;
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Node[];
}

/** Something that runs queries as they are, and keeps how the database ran each. */
export interface Explainer {
  readonly database: Pick<DataSource, 'query'>;
  /** The scans of the queries since the last call that were begun at all. */
  scans(): Scan[];
}

export function explaining(database: DataSource): Explainer {
  let seen: Scan[] = [];
  return {
    database: {
      async query<T>(sql: string, values?: unknown[]): Promise<T> {
        const [row]: { 'QUERY PLAN': { Plan: Node }[] }[] = await database.query(
          `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
          values,
        );
        seen.push(...(row?.['QUERY PLAN'] ?? []).flatMap(({ Plan }) => scansOf(Plan)));
        return database.query(sql, values);
      },
    },
    scans() {
      const scans = seen;
      seen = [];
      return scans;
    },
  };
}

/**
 * Lets the planner count so many times the rows of the log and the ledger than it did, and as many more on a page: it chooses
 * the plans of books of that size.
 *
 * @param named a regular expression: of some tables alone, as those that were counted at another moment.
 */
export async function believeInMoreRows(
  database: DataSource,
  times: number,
  named = '^(usage_|ledger_|account_hour)',
): Promise<void> {
  await database.query(
    `UPDATE pg_class SET reltuples = reltuples * $1::real
     WHERE relnamespace = 'billing'::regnamespace AND relname ~ $2 AND reltuples > 0`,
    [times, named],
  );
}

/** Rows that were looked at, without those of which only the place was noted. */
export const rowsRead = (scans: readonly Scan[]): number =>
  scans
    .filter(({ kind }) => kind !== 'Bitmap Index Scan')
    .reduce((total, { found, removed }) => total + found + removed, 0);

function scansOf(node: Node): Scan[] {
  const below = (node.Plans ?? []).flatMap(scansOf);
  const table = node['Relation Name'];
  const loops = node['Actual Loops'];
  if (table === undefined || loops === 0) return below;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return [
    { kind: node['Node Type'], table, found: node['Actual Rows'] * loops, removed: removed * loops },
    ...below,
  ];
}
