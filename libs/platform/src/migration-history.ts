/** Whatever runs SQL and answers rows. */
interface Runs {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

/**
 * Refuses a schema that was made by the migrations there were before all of them became one, the baseline: it has tables
 * already, and the baseline would make them again.
 *
 * @param baseline the name of the first migration there is.
 */
export async function requireBaseline(runs: Runs, schema: string, baseline: string): Promise<void> {
  const [table] = (await runs.query('SELECT to_regclass($1) IS NOT NULL AS exists', [
    `${schema}.migration`,
  ])) as { exists: boolean }[];
  if (!table?.exists) return;
  const made = (await runs.query(`SELECT name FROM ${schema}.migration`)) as { name: string }[];
  if (made.length > 0 && !made.some(({ name }) => name === baseline))
    throw new Error(
      `The schema "${schema}" of this database was made before its migrations became one baseline. Nothing was changed. ` +
        'Carry the database over as docs/upgrade.md says under "A database from before the baseline", ' +
        'run the version that made it, or take an empty database.',
    );
}
